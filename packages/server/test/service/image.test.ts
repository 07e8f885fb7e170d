/**
 * The container image, without Docker. The test follows its Dockerfile in a root of its own. Its
 * command serves as the image's user, on a read-only root, under Node's permission model.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { freePort, makePostgresDatabase, startCluster } from '../../src/testing/postgres.ts'
import { long } from '../helpers/long.ts'
import { buildScript, lastOf, parseDockerfile, type Stage, variablesOf, wordsOf } from './dockerfile.ts'

const repository = join(import.meta.dirname, '../../../..')
const dockerfile = join(repository, 'Dockerfile')
const folder = temporaryFolder()
after(() => removeFolder(folder))

/** The context that `docker build` sends: the committed files that `.dockerignore` lets through. */
function makeContext(): string {
  const context = join(folder, 'context')
  const ignore = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n')
  const wanted = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const files = execFileSync('git', ['ls-files', '--', ...wanted], { cwd: repository, encoding: 'utf8' })
  for (const name of files.trim().split('\n')) {
    if (/^packages\/[^/]+\/test\//.test(name) || !statSync(join(repository, name), { throwIfNoEntry: false })) continue
    mkdirSync(dirname(join(context, name)), { recursive: true })
    cpSync(join(repository, name), join(context, name))
  }
  return context
}

/**
 * Starts what the image starts and asks its health check until it is well; then it is told to end.
 */
function serveScript(stage: Stage, port: number, more: string): string {
  const root = `$T/${stage.name}/root`
  const variables = `${variablesOf(stage)} HOST=127.0.0.1 PORT=${port} ${more} PATH=/usr/local/bin:/usr/bin:/bin`
  const inside = (words: string) =>
    `chroot --userspec=1000:1000 ${root} env -i ${variables} sh -c 'cd "$0" && exec "$@"' ${lastOf(stage, 'WORKDIR')} ${words}`
  return `
${inside(wordsOf(lastOf(stage, 'CMD')))} & SERVER=$!
WELL=no
for i in $(seq 100); do
  if ${inside(wordsOf(lastOf(stage, 'HEALTHCHECK')))}; then WELL=yes; break; fi
  sleep 0.2
done
echo "well: $WELL"
grep -E '^(Uid|NoNewPrivs):' /proc/$SERVER/status || true
kill $SERVER; wait $SERVER && echo "ended: 0" || echo "ended: $?"`
}

test('the Dockerfile makes an image that serves', { ...long, timeout: 900_000 }, async (t) => {
  if (spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', folder]).status !== 0)
    return t.skip('this user may not mount a file system')
  const stages = parseDockerfile(dockerfile)
  const image = stages.at(-1) as Stage
  assert.equal(lastOf(image, 'USER'), 'node')
  assert.equal(lastOf(image, 'STOPSIGNAL'), 'SIGTERM')
  const permission = /NODE_OPTIONS="([^"]+)"/.exec(readFileSync(dockerfile, 'utf8').replaceAll('\n# ', ' '))?.[1]
  assert.match(permission ?? '', /^--permission /)
  const root = `$T/${image.name}/root`
  // Node refuses fsync under its permission model, and SQLite with it.
  const cluster = await startCluster()
  t.after(() => cluster.remove())
  const url = await makePostgresDatabase(cluster.url, 'image')
  const script = [
    buildScript(stages, { context: makeContext(), node: process.execPath }),
    `echo "size: $(du -sm ${root}/app | cut -f1)"`,
    `for name in packages/server/src packages/server/test node_modules/typescript .git; do [ ! -e ${root}/app/$name ] || echo "too much: $name"; done`,
    `mount -t tmpfs tmpfs ${root}/data; mount -t tmpfs tmpfs ${root}/tmp; chown 1000:1000 ${root}/data`,
    `mount -o remount,ro,bind ${root}; touch ${root}/app/x 2>/dev/null && echo "the root can be written to" || true`,
    serveScript(image, await freePort(), ''),
    serveScript(image, await freePort(), `DATABASE_URL=${url} NODE_OPTIONS='${permission}'`),
  ].join('\n')
  mkdirSync(join(folder, 'image'))
  const done = spawnSync('unshare', ['-m', 'sh', '-c', script], {
    env: { ...process.env, T: join(folder, 'image'), NODE_OPTIONS: '' },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  rmSync(join(folder, 'context'), { recursive: true })
  const said = `${done.stdout.slice(-3000)}${done.stderr.slice(-3000)}`
  assert.equal(done.status, 0, said)
  assert.deepEqual(done.stdout.match(/^(well|ended): .*$/gm), ['well: yes', 'ended: 0', 'well: yes', 'ended: 0'], said)
  assert.doesNotMatch(done.stdout, /too much:|can be written to/)
  assert.match(done.stdout, /^Uid:\t1000\t1000/m)
  t.diagnostic(`/app has ${/^size: (\d+)$/m.exec(done.stdout)?.[1]} MB`)
})
