package cases

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Put writes the document only if no newer holder has.
func Put(ctx context.Context, db *dynamodb.Client, id string, fence int64, body string) error {
	_, err := db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:           aws.String("documents"),
		ConditionExpression: aws.String("attribute_not_exists(id) OR fence <= :fence"),
		Item: map[string]types.AttributeValue{
			"id": &types.AttributeValueMemberS{Value: id}, "body": &types.AttributeValueMemberS{Value: body},
			"fence": &types.AttributeValueMemberN{Value: strconv.FormatInt(fence, 10)},
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{":fence": &types.AttributeValueMemberN{Value: strconv.FormatInt(fence, 10)}},
	})
	return err
}

// cacheUntil is no lease: an entry of a cache with an end.
func cacheUntil(ctx context.Context, db *dynamodb.Client, key string) error {
	_, err := db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("cache"),
		Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: key}, "expires": &types.AttributeValueMemberN{Value: strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)},
		},
	})
	return err
}
