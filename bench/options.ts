/** The arguments of `npm run bench`. */
import { parseArgs } from 'node:util'

const help = `npm run bench -- [options]

  --size 1k|10k|100k|1m|10m   products, several with commas (100k)
  --only NAMES                workloads with commas; all unless said
  --rounds N                  (3)
  --seconds N                 of each measurement (3)
  --connections N             (32)
  --against NAMES             feathers, json-server, postgraphile: installed by npm into a temporary folder
  --keep FOLDER               keeps the filled databases there, and uses those that it finds
  --plots FOLDER              writes plots of cost over size, as SVG
  --json                      prints JSON instead of the table

Workloads: `

export type Options = {
  readonly sizes: readonly number[]
  readonly only: readonly string[]
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  readonly against: readonly string[]
  readonly keep: string | undefined
  readonly plots: string | undefined
  readonly json: boolean
}

const units = { '': 1, k: 1000, m: 1_000_000 } as const

/** `100k` → 100,000 */
function parseSize(text: string): number {
  const match = /^(\d+)([km]?)$/.exec(text)
  if (!match || Number(match[1]) < 1) throw new Error(`--size must be such as 10k or 1m, not ${text}`)
  return Number(match[1]) * units[match[2] as keyof typeof units]
}

const names = (text: string | undefined) => (text ? text.split(',').map((name) => name.trim()) : [])

function positive(name: string, text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not ${text}`)
  return number
}

/**
 * Throws with one clear sentence. Undefined when only the help was asked for, which is printed
 * then.
 */
export function readOptions(
  args: readonly string[],
  { known, peers }: { readonly known: readonly string[]; readonly peers: readonly string[] },
): Options | undefined {
  const text = { type: 'string' } as const
  const textOr = (otherwise: string) => ({ ...text, default: otherwise })
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: textOr('100k'),
      only: text,
      rounds: textOr('3'),
      seconds: textOr('3'),
      connections: textOr('32'),
      against: text,
      keep: text,
      plots: text,
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(`${help}${known.join(', ')}\n`)
    return undefined
  }
  const only = names(values.only)
  const strange = only.find((name) => !known.includes(name))
  if (strange) throw new Error(`There is no workload ${strange}; there are: ${known.join(', ')}`)
  const stranger = names(values.against).find((name) => !peers.includes(name))
  if (stranger) throw new Error(`There is no contestant ${stranger}; there are: ${peers.join(', ')}`)
  return {
    sizes: names(values.size).map(parseSize),
    only: only.length > 0 ? only : known,
    rounds: Math.ceil(positive('rounds', values.rounds)),
    seconds: positive('seconds', values.seconds),
    connections: Math.ceil(positive('connections', values.connections)),
    against: names(values.against),
    keep: values.keep,
    plots: values.plots,
    json: values.json,
  }
}
