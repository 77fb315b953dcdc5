"""Routes of this project on the port of an Agent Server; importing this module builds ``app`` from the settings."""

from graph.open_graphs import configured_graphs
from server.access import KeyRing
from server.app import app_over
from server.errors import keep_to_own_routes
from server.guards import Guards, keys_file
from server.settings import ServerSettings

STUDIO = "https://smith.langchain.com"

_opened = configured_graphs()
_settings = ServerSettings.read()
_settings = _settings.model_copy(update={"origins": (*_settings.origins, STUDIO)})
# With keys a server may go by any name, as no page has one; without, it is for this machine alone.
_has_keys = bool(KeyRing(keys_file(_settings, _opened.settings.home)).keys)
app = app_over(_opened, _settings, Guards.of(_settings, _opened.settings, public=_has_keys), mcp=False)
keep_to_own_routes(app)
