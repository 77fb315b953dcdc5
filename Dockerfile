# syntax=docker/dockerfile:1
# articulado as a service: docker build -t articulado . (docs/operate.md has what to set and to keep)

FROM python:3.13-slim AS build
# What is installed beside the core, from pyproject.toml: servers, and reading PDF, DOCX and XLSX.
ARG EXTRAS=aegra,documents,postgres,redis
WORKDIR /src
RUN python -m venv /opt/articulado
# .dockerignore lets through the packages and what installs them, nothing else.
COPY . .
RUN /opt/articulado/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt ".[${EXTRAS}]" \
    && /opt/articulado/bin/pip uninstall --yes pip

FROM python:3.13-slim
# Programs of Debian: the extra `ocr` needs "tesseract-ocr tesseract-ocr-spa".
ARG PACKAGES=""
RUN [ -z "$PACKAGES" ] || { apt-get update && apt-get install --yes --no-install-recommends $PACKAGES \
    && rm -rf /var/lib/apt/lists/*; }
RUN useradd --uid 10001 --create-home --home-dir /var/lib/articulado articulado
COPY --from=build /opt/articulado /opt/articulado
# What an Agent Server reads; the rest is installed.
COPY langgraph.json /opt/articulado/
COPY server/agent /opt/articulado/server/agent
ENV PATH=/opt/articulado/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    AEGRA_CONFIG=/opt/articulado/langgraph.json \
    ARTICULADO_HOME=/var/lib/articulado
# By number, so that a cluster can see that it is not root.
USER 10001
WORKDIR /var/lib/articulado
# Indexes, access keys, conversations and what providers were paid for.
VOLUME /var/lib/articulado
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=180s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://localhost:8000/healthz', timeout=4)"]
ENTRYPOINT ["articulado"]
CMD ["serve", "--host", "0.0.0.0"]
