# Ends the server of a test binary that is gone, and removes what it left.
#
# Standard input is a pipe from the test binary. Each line lists the ids of the
# processes to end; the last line counts, and an empty one means that nothing
# runs. The pipe ends when the test binary does, whether it returned, panicked,
# timed out or was killed. No parent-death signal does that job: none reaches
# the processes that a test has stopped, and macOS has none.
dir=$1
ids=
while read -r line; do ids=$line; done

# PostgreSQL's other processes end by themselves when the main one is gone,
# unless they are stopped, and then they are on the list.
# shellcheck disable=SC2086 # the ids are words
[ -z "$ids" ] || kill -KILL $ids

# A server that was killed leaves its shared memory segment; line 7 names it.
segment=$(sed -n '7s/^ *[0-9]* *//p' "$dir/data/postmaster.pid")
[ -z "$segment" ] || ipcrm -m "$segment"

# The last processes may still write while they end.
n=0
until rm -rf "$dir" || [ $n -ge 100 ]; do
	sleep 0.1
	n=$((n + 1))
done
