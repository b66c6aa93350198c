# Builds the bundle with the development dependencies, ships without them. better-sqlite3 and argon2 bring
# their binaries inside their packages, so no compiler is needed.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# What `phaseboard --version` and `/healthz` say: `docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .`
ARG COMMIT
RUN PHASEBOARD_COMMIT=$COMMIT npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production AUTH_MODE=required HOST=0.0.0.0 PORT=3000 DATABASE_URL=file:/data/phaseboard.db
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/drizzle drizzle
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "--max-semi-space-size=8", "--initial-old-space-size=48", "dist/cli.js", "serve"]
