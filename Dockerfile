# Bindery on Node 26, without the development dependencies. Sources run as they are; there is no build.
FROM node:26-slim

ENV NODE_ENV=production
WORKDIR /app

COPY package.json package-lock.json ./
COPY packages/server/package.json packages/server/
COPY apps/shop/package.json apps/shop/
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

COPY packages/server/src packages/server/src
COPY apps/shop apps/shop
COPY LICENSE ./

# Only for SQLite and its secret: with PostgreSQL nothing is written here.
RUN mkdir /data && chown node:node /data
VOLUME /data
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=3000

USER node
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]

# No shell and no npm between: SIGTERM reaches the server, which drains for up to 8.5 s.
STOPSIGNAL SIGTERM
CMD ["node", "packages/server/src/bindery.ts", "start"]
