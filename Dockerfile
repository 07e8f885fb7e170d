# The shop on Node 26: the engine as it is published, without the development dependencies.
FROM node:26-slim AS build

WORKDIR /build
COPY package.json package-lock.json tsconfig.json LICENSE ./
COPY packages packages
COPY apps apps
COPY release release
RUN npm ci --ignore-scripts && npm run build && node release/manifest.ts packages/server > published.json

FROM node:26-slim

ENV NODE_ENV=production
WORKDIR /app

COPY package.json package-lock.json ./
COPY packages/server/package.json packages/server/
COPY packages/create-bindery/package.json packages/create-bindery/
COPY apps/shop/package.json apps/shop/
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

# Pictures are made by a library of this machine's kind, which npm counts as optional.
COPY --from=build /build/node_modules/@img node_modules/@img
COPY --from=build /build/published.json packages/server/package.json
COPY --from=build /build/packages/server/dist packages/server/dist
COPY apps/shop/resources apps/shop/resources
COPY apps/shop/demo apps/shop/demo
COPY LICENSE ./

# Only for SQLite and its secret: with PostgreSQL nothing is written here.
RUN mkdir /data /backups && chown node:node /data /backups
VOLUME /data
# For BACKUP_DIR=/backups: mount a volume there. BACKUP_TO and s3:// need their packages: npm install age-encryption s3mini, in a line above.
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=3000 RATE_LIMIT=600/1m,auth=60/1m MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072

USER node
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]

# With PostgreSQL, WORKERS=1 and no files in a folder, Node's own permissions cut it down further. They refuse fsync, without which
# the server keeps nothing on a disk: NODE_OPTIONS="--permission --allow-fs-read=/app --allow-fs-read=/data
# --allow-fs-write=/data --allow-worker --allow-net --allow-addons", on one line. The addon is that of pictures.

# No shell and no npm between: SIGTERM reaches the server, which drains for up to 8.5 s.
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "--min-semi-space-size=8", "--v8-pool-size=0", "packages/server/dist/bindery.js", "start"]
