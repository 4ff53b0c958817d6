package turns

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type Turns struct {
	db *dynamodb.Client
	me string
}

func (t *Turns) Take(ctx context.Context, name string) (bool, error) {
	now := time.Now()
	_, err := t.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("turns"),
		Key:                 map[string]types.AttributeValue{"name": &types.AttributeValueMemberS{Value: name}},
		UpdateExpression:    aws.String("SET player = :me, lasts = :u"),
		ConditionExpression: aws.String("attribute_not_exists(player) OR lasts < :now"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":me":  &types.AttributeValueMemberS{Value: t.me},
			":u":   &types.AttributeValueMemberN{Value: strconv.FormatInt(now.Add(time.Minute).Unix(), 10)}, // want 6
			":now": &types.AttributeValueMemberN{Value: strconv.FormatInt(now.Unix(), 10)},
		},
	})
	var taken *types.ConditionalCheckFailedException
	if errors.As(err, &taken) {
		return false, nil
	}
	return err == nil, err
}

func (t *Turns) End(ctx context.Context, name string) error {
	_, err := t.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{ // want 1
		TableName: aws.String("turns"),
		Key:       map[string]types.AttributeValue{"name": &types.AttributeValueMemberS{Value: name}},
	})
	return err
}
