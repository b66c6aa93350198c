# Builds with the development dependencies, and ships the build and native code. better-sqlite3 and argon2 bring their binaries
# inside their packages, so no compiler is needed; everything else is in the bundle.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# What `phaseboard --version` and `/healthz` say: `docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .`
ARG COMMIT
RUN PHASEBOARD_COMMIT=$COMMIT npm run build
# better-sqlite3 has binaries for eight platforms, and its sources.
RUN cd node_modules && find better-sqlite3 @node-rs -type f ! -name "*.js" ! -name package.json ! -name LICENSE ! -name "linux-$(node -p process.arch).node" ! -name "argon2.*.node" -delete && find better-sqlite3 -type d -empty -delete

FROM node:24-slim
ENV NODE_ENV=production AUTH_MODE=required HOST=0.0.0.0 PORT=3000 DATABASE_URL=file:/data/phaseboard.db
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules/better-sqlite3 node_modules/better-sqlite3
COPY --from=build /app/node_modules/@node-rs node_modules/@node-rs
COPY --from=build /app/drizzle drizzle
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "--max-semi-space-size=8", "--initial-old-space-size=48", "dist/cli.js", "serve"]
