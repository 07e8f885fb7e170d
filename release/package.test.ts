/**
 * `npm run test:package`: the packed tarballs, installed by npm into empty folders, on each line of
 * Node that the package promises. An application is created, answers, gets a field, answers again,
 * runs its own test, and its image's steps are walked without Docker.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { makeAsk, removeFolder, spawnServer, temporaryFolder } from 'bindery-server/test'
import { packCopy } from './pack-copy.ts'

const lines = ['24', '26']
const folder = temporaryFolder()
after(() => removeFolder(folder))
const { server, create } = packCopy(folder)

type Run = { readonly cwd: string; readonly path: string }

/** Without what npm and the test runner that run this tell their children. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_TEST|NODE_OPTIONS|INIT_CWD|BINDERY_)/i.test(name)),
)

function run(command: readonly [string, ...string[]], { cwd, path }: Run): string {
  const [program, ...args] = command
  const env = { ...environment, PATH: path, npm_config_loglevel: 'error' }
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Where programs are found with this line of Node first. npm itself runs on it too. */
function pathWith(line: string): string {
  const home = join(folder, `node-${line}`)
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }))
  const system = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  run(['npm', 'install', '--no-audit', '--no-fund', `node@${line}`], { cwd: home, path: system.join(delimiter) })
  return [join(home, 'node_modules/.bin'), ...system].join(delimiter)
}

/** The second command of its README, until it answers; then `work`, and the end. */
async function whileRunning({ cwd, path }: Run, work: (url: string) => Promise<void>): Promise<void> {
  const running = spawnServer({ command: ['npm', 'start'], cwd, env: { PATH: path, DATA_DIR: join(cwd, 'data') } })
  try {
    await work(await running.ready())
    assert.doesNotMatch(running.stderr(), /Warning/)
  } finally {
    assert.equal((await running.stop()).signal, null)
  }
}

async function makeProject(url: string, body: object): Promise<Record<string, unknown>> {
  const made = await makeAsk(url)('POST', '/api/v1/projects', { body })
  assert.equal(made.status, 201, made.text)
  return made.body
}

/** The RUN and COPY lines of a Dockerfile, in a folder of its own; other lines change no file. */
function walkImage(application: string, { path }: Pick<Run, 'path'>): string {
  const image = join(folder, 'image')
  mkdirSync(image)
  const ignored = readFileSync(join(application, '.dockerignore'), 'utf8').split('\n')
  const dockerfile = readFileSync(join(application, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ')
  for (const [, word, rest = ''] of dockerfile.matchAll(/^(COPY|RUN) (.*)$/gm)) {
    // The engine of this test is a file beside the application; a published one comes from the
    // registry. The user node exists in images only.
    const command = rest
      .replace(/&& npm cache clean --force|&& chown \S+ \S+/g, '')
      .replaceAll('/data', join(image, 'data'))
    if (word === 'RUN') run(['sh', '-c', command], { cwd: image, path })
    else {
      const names = rest.startsWith('. ') ? readdirSync(application) : rest.split(' ').slice(0, -1)
      for (const name of names)
        if (!ignored.includes(name)) cpSync(join(application, name), join(image, name), { recursive: true })
    }
  }
  assert.deepEqual(
    ['.env', 'test', 'node_modules/typescript'].filter((name) => existsSync(join(image, name))),
    [],
  )
  return image
}

for (const line of lines) {
  describe(`Node ${line}`, () => {
    const path = pathWith(line)
    const cwd = join(folder, line)
    mkdirSync(cwd)
    const application = join(cwd, 'my-app')

    test('from an empty folder to the first answer: two commands', async () => {
      assert.match(run(['node', '--version'], { cwd, path }), new RegExp(`^v${line}\\.`))
      const args = ['create-bindery', 'my-app', '--kind', 'open', '--engine', server] as const
      run(['npm', 'exec', '--yes', '--package', create, '--', ...args], { cwd, path })
      await whileRunning({ cwd: application, path }, async (url) => {
        await makeProject(url, { name: 'Garden' })
      })
    })

    test('nothing that it installed has a script that npm would run, but for Node itself', () => {
      const read = (name: string) => JSON.parse(readFileSync(join(application, name), 'utf8'))
      const packages: Record<string, { hasInstallScript?: boolean }> = read('package-lock.json').packages
      const scripted = Object.keys(packages).filter((name) => packages[name]?.hasInstallScript)
      assert.deepEqual(scripted, ['node_modules/node'])
      assert.deepEqual(read('package.json').allowScripts, { node: true })
    })

    test('its own test and its check pass', () => {
      run(['npm', 'run', 'check'], { cwd: application, path })
      assert.match(run(['npm', 'test'], { cwd: application, path }), /pass 2\n/)
    })

    test('a field is added, and what was stored is there', async () => {
      const file = join(application, 'resources/projects.ts')
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace('    createdAt:', '    goal: text(),\n    createdAt:'))
      await whileRunning({ cwd: application, path }, async (url) => {
        assert.equal((await makeProject(url, { name: 'House', goal: 'A roof' })).goal, 'A roof')
        const { body } = await makeAsk(url)('GET', '/api/v1/projects?fields=name,goal')
        assert.deepEqual(
          body.data.map(({ name, goal }: { name: string; goal: string | null }) => [name, goal]),
          [
            ['Garden', null],
            ['House', 'A roof'],
          ],
        )
      })
    })

    for (const kind of ['users', 'keys'])
      test(`an application with ${kind} runs its own test`, () => {
        run(
          [
            'node',
            join(application, 'node_modules/bindery-server/dist/bindery.js'),
            'init',
            kind,
            '--kind',
            kind,
            '--engine',
            server,
          ],
          { cwd, path },
        )
        run(['npm', 'run', 'check'], { cwd: join(cwd, kind), path })
        assert.match(run(['npm', 'test'], { cwd: join(cwd, kind), path }), /pass 4\n/)
      })
  })
}

test('from a clone: one command makes an application that installs and starts, and passes its own test', async () => {
  const path = `${join(folder, 'node-24/node_modules/.bin')}${delimiter}${process.env.PATH}`
  const cwd = join(folder, 'of-a-clone')
  run(['npm', 'run', '-s', 'create', '--', cwd, '--kind', 'open'], { cwd: join(import.meta.dirname, '..'), path })
  await whileRunning({ cwd, path }, async (url) => {
    await makeProject(url, { name: 'Garden' })
  })
  assert.match(run(['npm', 'test'], { cwd, path }), /pass 2\n/)
})

test('what is published is under 3.3 MB, of which the console may have one', () => {
  assert.ok(statSync(server).size < 3_300_000, `${statSync(server).size}`)
})

test('an image is made of its files and its dependencies alone, and answers', async () => {
  const path = `${join(folder, 'node-24/node_modules/.bin')}${delimiter}${process.env.PATH}`
  const cwd = walkImage(join(folder, '24/my-app'), { path })
  const command = ['node_modules/.bin/bindery', 'start'] as const
  const running = spawnServer({
    command,
    cwd,
    env: { PATH: path, DATA_DIR: join(cwd, 'data'), NODE_ENV: 'production' },
  })
  await makeProject(await running.ready(), { name: 'Garden' })
  const { code } = await running.stop()
  assert.equal(code, 0)
})

test('a Node that is too old is told what to do, and create-bindery runs on it', {
  skip: !process.env.OLD_NODE,
}, () => {
  const path = `${dirname(process.env.OLD_NODE as string)}${delimiter}/usr/bin:/bin`
  const cwd = join(folder, 'old')
  mkdirSync(cwd)
  run(['npm', 'exec', '--yes', '--package', create, '--', 'create-bindery', 'old-app', '--engine', server], {
    cwd,
    path,
  })
  const { devDependencies } = JSON.parse(readFileSync(join(cwd, 'old-app/package.json'), 'utf8'))
  assert.ok(devDependencies.node, 'it brings its own Node')
  assert.match(run(['npm', 'test'], { cwd: join(cwd, 'old-app'), path }), /pass 4\n/)
})
