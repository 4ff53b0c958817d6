import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';

const ddb = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env.LOCK_TABLE;

export async function take(id: string, owner: string): Promise<boolean> {
  const now = Math.floor(Date.now() / 1000);
  try {
    await ddb.send(new PutCommand({
      TableName,
      Item: { id, owner, expires: now + 60 }, // want 6
      ConditionExpression: 'attribute_not_exists(id) OR expires < :now',
      ExpressionAttributeValues: { ':now': now },
    }));
    return true;
  } catch (e: any) {
    if (e.name === 'ConditionalCheckFailedException') return false;
    throw e;
  }
}

export const drop = (id: string) => ddb.send(new DeleteCommand({ TableName, Key: { id } })); // want 1
