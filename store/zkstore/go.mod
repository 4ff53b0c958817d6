module github.com/ringfence-go/ringfence/store/zkstore

go 1.26.0

require (
	github.com/go-zookeeper/zk v1.0.4
	github.com/ringfence-go/ringfence v0.0.0-00010101000000-000000000000
)

replace github.com/ringfence-go/ringfence => ../..
