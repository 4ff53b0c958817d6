module github.com/ringfence-go/ringfence

go 1.26.0
