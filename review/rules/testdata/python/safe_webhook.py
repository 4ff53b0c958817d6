"""Payment provider's webhooks come twice; the second is dropped."""
import redis
from fastapi import FastAPI, Request

app = FastAPI()
seen = redis.Redis()


@app.post("/hooks/payments")
async def hook(request: Request):
    event = await request.json()
    marker = f"webhook:seen:{event['id']}"
    if not seen.set(marker, 1, nx=True, ex=86400):
        return {"status": "duplicate"}
    try:
        await handle(event)
    except Exception:
        seen.delete(marker)  # so that the provider's retry is handled
        raise
    return {"status": "ok"}


async def handle(event):
    ...
