import { DynamoDBDocumentClient, PutCommand, DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { DynamoDBClient, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses';

const ddb = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const ses = new SESClient({});

export async function take(name: string, owner: string) {
  try {
    await ddb.send(new PutCommand({ // want 7
      TableName: 'locks',
      Item: { name, owner, expiresAt: Date.now() + 30_000 }, // want 6
      ConditionExpression: 'attribute_not_exists(#n) OR expiresAt < :now',
      ExpressionAttributeNames: { '#n': 'name' },
      ExpressionAttributeValues: { ':now': Date.now() },
    }));
    return true;
  } catch (e) {
    if (e instanceof ConditionalCheckFailedException) return false;
    throw e;
  }
}

export async function drop(name: string) {
  await ddb.send(new DeleteCommand({ TableName: 'locks', Key: { name } })); // want 1
}

export async function invite(id: string, mail: string) {
  if (!(await take('invite', id))) return;
  await ses.send(new SendEmailCommand({ Destination: { ToAddresses: [mail] }, Source: 'a@b.example', Message: undefined })); // want 8
  await ddb.send(new UpdateCommand({ TableName: 'users', Key: { id }, UpdateExpression: 'SET invited = :t', ExpressionAttributeValues: { ':t': true } })); // want 4
  await drop('invite');
}
