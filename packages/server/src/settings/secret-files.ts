/**
 * Reads secrets from files: `NAME_FILE` in place of `NAME`, the convention of containers and
 * vaults.
 */
import { readFileSync } from 'node:fs'
import { type Environment, fail, type Variable } from '../base/environment.ts'

const suffix = '_FILE'
/** The secrets of OpenID providers, one each. */
const ofProviders = /^OIDC_[A-Z0-9_]+_CLIENT_SECRET$/

export function isSecretVariable(name: string, known: readonly Variable[]): boolean {
  return ofProviders.test(name) || known.some((one) => one.name === name && one.isSecret)
}

/** The content without its final line end. */
function read(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')
  } catch (error) {
    return fail(name, `cannot be read: ${(error as NodeJS.ErrnoException).code} ${path}`)
  }
  return text === '' ? fail(name, `names an empty file: ${path}`) : text
}

/**
 * The environment with the secrets of the files. Throws `StartError` with the name of a variable,
 * never with a secret.
 */
export function withSecretFiles(env: Environment, known: readonly Variable[]): Environment {
  const found = Object.entries(env).flatMap(([variable, path]) => {
    const name = variable.endsWith(suffix) ? variable.slice(0, -suffix.length) : ''
    if (!path || !isSecretVariable(name, known)) return []
    if (env[name]) fail(variable, `is set, and ${name} too: leave one out`)
    return [[name, read(variable, path)] as const]
  })
  return found.length === 0 ? env : { ...env, ...Object.fromEntries(found) }
}

/** For `--help`: a sentence, and the names. */
export function secretFilesHelp(known: readonly Variable[]): string {
  const names = known.filter(({ isSecret }) => isSecret).map(({ name }) => name)
  return `Secrets may stand in files: NAME_FILE, the path, in place of NAME. These are ${names.join(', ')}\nand OIDC_NAME_CLIENT_SECRET.\n`
}
