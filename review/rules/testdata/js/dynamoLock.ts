import { DynamoDBDocumentClient, PutCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'crypto';

const table = process.env.LOCK_TABLE;

export async function take(doc: DynamoDBDocumentClient, name: string) {
  const owner = randomUUID();
  await doc.send(new PutCommand({
    TableName: table,
    Item: { name, owner, expiresAt: Date.now() + 30_000 }, // want 6
    ConditionExpression: 'attribute_not_exists(#n) OR expiresAt < :now',
    ExpressionAttributeNames: { '#n': 'name' },
    ExpressionAttributeValues: { ':now': Date.now() },
  }));
  return owner;
}

export async function give(doc: DynamoDBDocumentClient, name: string, owner: string) {
  await doc.send(new DeleteCommand({
    TableName: table,
    Key: { name },
    ConditionExpression: '#o = :me',
    ExpressionAttributeNames: { '#o': 'owner' },
    ExpressionAttributeValues: { ':me': owner },
  }));
}
