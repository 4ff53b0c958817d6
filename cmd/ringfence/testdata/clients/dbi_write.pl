# Executes the statement in its argument through DBD::Pg, and prints its version.
use strict;
use warnings;
use DBI;

DBI->connect("dbi:Pg:", undef, undef, { RaiseError => 1, PrintError => 0 })->do($ARGV[0]);
print "$DBD::Pg::VERSION\n";
