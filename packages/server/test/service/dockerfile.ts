/**
 * Runs a Dockerfile as a shell script, without Docker. Each stage is this machine's root with a
 * layer above it, in namespaces that end with the script.
 */
import { readFileSync } from 'node:fs'

export type Step = { readonly word: string; readonly rest: string }
export type Stage = { readonly name: string; readonly steps: readonly Step[] }

/** `what's` → `'what'\''s'` */
export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The stages of a Dockerfile, comments and folded lines undone. */
export function parseDockerfile(file: string): Stage[] {
  const text = readFileSync(file, 'utf8')
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
  const steps = [...text.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, word = '', rest = '']) => ({ word, rest }))
  const stages: { name: string; steps: Step[] }[] = []
  for (const step of steps) {
    if (step.word !== 'FROM') stages.at(-1)?.steps.push(step)
    else stages.push({ name: / AS (\S+)/.exec(step.rest)?.[1] ?? String(stages.length), steps: [] })
  }
  return stages
}

/** The last value of such a line in a stage. */
export function lastOf({ steps }: Stage, word: string): string {
  return steps.findLast((step) => step.word === word)?.rest ?? ''
}

/**
 * The arguments of `CMD ["a", "b"]`, on a line of its own or in a HEALTHCHECK, as words of a shell.
 */
export function wordsOf(text: string): string {
  return (JSON.parse(text.slice(text.indexOf('['))) as string[]).map(quoted).join(' ')
}

/** `ENV` of a stage as words for `env`. */
export function variablesOf({ steps }: Stage): string {
  return steps
    .filter(({ word }) => word === 'ENV')
    .map(({ rest }) => rest)
    .join(' ')
}

/**
 * Folders give what is in them, files go into a folder or get a name (Dockerfile reference, COPY).
 */
function copy(rest: string, context: string, root: string): string {
  const words = rest.split(/ +/)
  const from = words[0]?.startsWith('--from=') ? `$T/${words.shift()?.slice('--from='.length)}/root` : context
  const to = words.pop() ?? ''
  const target = to.startsWith('/') ? `${root}${to}` : `${root}$W/${to}`
  const isFolder = to.endsWith('/') || words.length > 1
  const one = (name: string) => {
    const source = `${from}/${name}`
    const file = isFolder ? `mkdir -p ${target} && cp ${source} ${target}` : `cp ${source} ${target}`
    return `if [ -d ${source} ]; then mkdir -p ${target} && cp -R ${source}/. ${target}; else ${file}; fi`
  }
  return words.map(one).join('\n')
}

/**
 * Makes the image in `$T/<name of the last stage>/root`. `node`: what stands for the one of the
 * base image, with its user.
 */
export function buildScript(stages: readonly Stage[], { context, node }: { context: string; node: string }): string {
  const lines = stages.flatMap((stage) => {
    const root = `$T/${stage.name}/root`
    const made = stage.steps.flatMap(({ word, rest }) => {
      if (word === 'WORKDIR') return [`W=${rest}`, `mkdir -p ${root}$W`]
      if (word === 'COPY') return [copy(rest, context, root)]
      const run = quoted(`cd "$W" && ${rest}`)
      return word === 'RUN' ? [`W=$W ${variablesOf(stage)} chroot ${root} sh -ec ${run}`] : []
    })
    return [
      `mkdir -p $T/${stage.name}/upper $T/${stage.name}/work ${root}; W=/`,
      `mount -t overlay overlay -o lowerdir=/,upperdir=$T/${stage.name}/upper,workdir=$T/${stage.name}/work ${root}`,
      `mount --rbind /proc ${root}/proc; mount --rbind /dev ${root}/dev`,
      `mkdir -p ${root}/usr/local/bin && cp ${node} ${root}/usr/local/bin/node`,
      `grep -q ^node: ${root}/etc/passwd || { echo node:x:1000:1000::/tmp:/bin/sh >> ${root}/etc/passwd; echo node:x:1000: >> ${root}/etc/group; }`,
      ...made,
    ]
  })
  return ['set -eu', 'mount -t tmpfs -o size=4g tmpfs $T', ...lines].join('\n')
}
