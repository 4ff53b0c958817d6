package s3store_test

import (
	"context"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ringfence-go/ringfence/store/s3store"
)

func ExampleOpen() {
	var cfg aws.Config // of config.LoadDefaultConfig, say
	ctx := context.Background()

	client := s3.NewFromConfig(cfg)
	store, err := s3store.Open(ctx, client, "my-bucket", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
}
