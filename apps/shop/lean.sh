# Runs a program of this repository with less memory: sh apps/shop/lean.sh packages/server/src/bindery.ts start
# docs/how-to/operate-start.md explains each setting but NODE_COMPILE_CACHE, which names the folder
# of compiled code before the first file is loaded, so that Node's compiler of TypeScript stays away.
# A variable that is already set keeps its value.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-node_modules/.cache/bindery/compiled}"
exec node --max-semi-space-size=8 --min-semi-space-size=8 --v8-pool-size=0 "$@"
