# Executes the statement in its argument through the gem pg, and prints its version.
require "pg"

PG.connect.exec(ARGV[0])
puts PG::VERSION
