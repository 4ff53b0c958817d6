package observe

// All is a hook that calls each of hooks in turn, without those that are nil.
func All[T any](hooks ...func(T)) func(T) {
	return func(happened T) {
		for _, hook := range hooks {
			if hook != nil {
				hook(happened)
			}
		}
	}
}
