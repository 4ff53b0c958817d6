# Sourced by the other scripts from the root of the checkout.

# each_module calls a function in the folder of each module of go.work, with
# the workspace off and the module's path as the argument. It goes on after a
# failure and reports it at the end.
each_module() {
	local failed=0 dir
	while read -r dir; do
		(cd "$dir" && GOWORK=off && export GOWORK && "$1" "$(go list -m)") </dev/null || failed=1
	done < <(GOWORK="" go list -m -f '{{.Dir}}')
	return $failed
}
