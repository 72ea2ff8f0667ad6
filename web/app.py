"""What `langgraph.json` mounts. The server may load this file as a second copy of the module: nothing lives here."""

from web.assembly import create_app

app = create_app()
