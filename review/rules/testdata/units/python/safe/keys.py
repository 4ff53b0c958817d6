def seen(event):
    return f"seen:{event}"
