/**
 * One bash for the commands of a document. It runs in a copy of the project with a data folder, a
 * port and a home of its own. Variables last from command to command, as for a reader. `npm start`
 * and `npm run demo` run in the background until the next one or the end.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort, removeFolder, temporaryFolder } from 'bindery-server/test'
import { root } from './documents.ts'

export type Ran = { readonly output: string; readonly code: number }
export type Session = {
  /** Runs it and waits for its end. */
  run(command: string): Promise<Ran>
  /** Writes a file of the project. */
  save(file: string, text: string): void
  readonly folder: string
  end(): Promise<void>
}

const mark = '@@ended@@'

/**
 * Differences from a reader's terminal: curl shows no progress, and a server runs in the
 * background.
 */
const prelude = `
exec 2>&1
curl() { command curl --no-progress-meter "$@"; }
stop() { if [ -n "$SERVER" ]; then kill "$SERVER"; wait "$SERVER"; SERVER=; fi 2>/dev/null; }
serve() {
  stop
  "$@" > "$LOG" 2> "$ERRORS" </dev/null &
  SERVER=$!
  for _ in $(seq 1200); do
    if grep -q 'Bindery is ready on' "$LOG"; then return 0; fi
    if ! kill -0 "$SERVER" 2>/dev/null; then wait "$SERVER"; local code=$?; SERVER=; cat "$LOG" "$ERRORS"; return $code; fi
    sleep 0.1
  done
  cat "$LOG" "$ERRORS"; return 1
}
npm() {
  case "$*" in
    ci | test | 'run check') ;; # The script in .ci runs these.
    start | '-s start') serve command npm "$@" -- --unchecked ;; # compiled.test.ts looks at the types.
    'run demo') serve command npm "$@" ;;
    'run -s bindery -- '*) shift 4; $BINDERY "$@" ;; # As npm does, and without its half second.
    'run bench') command npm run bench -- --help ;; # It takes minutes; its arguments are checked.
    'run bench '*) command npm "$@" --help ;;
    *) command npm "$@" ;;
  esac
}
npx() { if [ "$1" = bindery ]; then shift; $BINDERY "$@"; else command npx "$@"; fi; }
node() { case "$1" in --cpu-prof*) serve command node "$@" ;; *) command node "$@" ;; esac }
trap stop EXIT
`

/**
 * A copy of the project that a document may change. Folders other than the application's are the
 * project's own.
 */
export function copyProject(): string {
  const folder = temporaryFolder()
  for (const name of readdirSync(root)) {
    if (/^(\.git|data.*)$/.test(name)) continue
    if (name === 'apps' || statSync(join(root, name)).isFile())
      cpSync(join(root, name), join(folder, name), { recursive: true })
    else symlinkSync(join(root, name), join(folder, name))
  }
  return folder
}

/** The database on PostgreSQL that documents print. */
export const printedDatabase = 'postgres://bindery:secret@127.0.0.1:36523/bindery'

/** An address as commands print it: without password and parameters. */
function withoutSecret(address: string): string {
  return address.replace(/\/\/.*@/, '//').replace(/\?.*$/, '')
}

/**
 * Folder and addresses that documents print, and those of the session: translated in commands and
 * files, and back in what they print.
 */
function namesOf(folder: string, port: number, database = printedDatabase): readonly (readonly [string, string])[] {
  return [
    ['http://127.0.0.1:3000', `http://127.0.0.1:${port}`],
    ['/srv/bindery', folder],
    [printedDatabase, database],
    [withoutSecret(printedDatabase), withoutSecret(database)],
  ]
}

export type SessionOptions = {
  /** Where Node keeps what it compiled, for the commands of all sessions. */
  readonly compiled: string
  /** An empty database on PostgreSQL, for a document that prints `printedDatabase`. */
  readonly database?: string
  /** The data of `npm run demo`, which need not be made again then. */
  readonly sample?: string
}

export async function startSession({ compiled, database, sample }: SessionOptions): Promise<Session> {
  const folder = copyProject()
  if (sample) cpSync(sample, join(folder, 'data-demo'), { recursive: true })
  const port = await freePort()
  const names = namesOf(folder, port, database)
  const translate = (text: string) => names.reduce((said, [printed, real]) => said.replaceAll(printed, real), text)
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const home = join(folder, '.session')
  mkdirSync(home)
  const bash = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    detached: true,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home,
      LOG: join(home, 'server.log'),
      BINDERY: scripts.bindery.replace('exec ', '').replace(' packages', ` ${folder}/packages`),
      ERRORS: join(home, 'server.err'),
      PORT: String(port),
      NODE_COMPILE_CACHE: compiled,
      npm_config_update_notifier: 'false',
    },
  })
  let out = ''
  let waiting: () => void = () => undefined
  const ended = new Promise<void>((resolve) => bash.once('close', () => resolve()))
  bash.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    waiting()
  })
  bash.stdin.write(prelude)
  let count = 0
  return {
    folder,
    async run(command) {
      out = ''
      count += 1
      const file = join(home, `${count}.sh`)
      writeFileSync(file, translate(`${command}\n`))
      bash.stdin.write(`. ${file} </dev/null; printf '\\n${mark}%d\\n' $?\n`)
      const endMark = new RegExp(`\\n${mark}(\\d+)\\n$`)
      await Promise.race([
        ended,
        new Promise<void>((resolve) => {
          waiting = () => endMark.test(out) && resolve()
        }),
      ])
      const code = Number(endMark.exec(out)?.[1] ?? 1)
      const said = names.reduce((text, [printed, real]) => text.replaceAll(real, printed), out.replace(endMark, ''))
      return { code, output: said.replaceAll('\r', '').trimEnd() }
    },
    save(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), translate(text))
    },
    async end() {
      bash.stdin.end()
      const late = setTimeout(() => process.kill(-(bash.pid as number), 'SIGKILL'), 240_000)
      await ended
      clearTimeout(late)
      removeFolder(folder)
    },
  }
}
