// Package redis is as much of github.com/redis/go-redis as the cases call.
package redis

import (
	"context"
	"errors"
	"time"
)

var Nil = errors.New("redis: nil")

type Client struct{}

type BoolCmd struct{}

func (BoolCmd) Result() (bool, error) { return false, nil }

type IntCmd struct{}

func (IntCmd) Result() (int64, error) { return 0, nil }
func (IntCmd) Err() error             { return nil }

type StringCmd struct{}

func (StringCmd) Result() (string, error) { return "", nil }

type Cmd struct{}

func (Cmd) Int() (int, error) { return 0, nil }
func (Cmd) Err() error        { return nil }

func (*Client) SetNX(context.Context, string, any, time.Duration) BoolCmd { return BoolCmd{} }
func (*Client) Del(context.Context, ...string) IntCmd                     { return IntCmd{} }
func (*Client) Get(context.Context, string) StringCmd                     { return StringCmd{} }
func (*Client) Eval(context.Context, string, []string, ...any) Cmd        { return Cmd{} }
func (*Client) Set(context.Context, string, any, time.Duration) BoolCmd   { return BoolCmd{} }
