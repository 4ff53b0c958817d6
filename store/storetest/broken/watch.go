package broken

import "context"

func givesNoHints(_ *world, c *client) {
	c.watch = func(context.Context, string) (<-chan struct{}, error) { return make(chan struct{}), nil }
}

// losesHint keeps a hint with the waiter that has given up.
func losesHint(_ *world, c *client) {
	c.watch = func(ctx context.Context, name string) (<-chan struct{}, error) {
		return c.right.Watch(context.WithoutCancel(ctx), name)
	}
}
