/**
 * The type of a feature's command: its words, its options and its work, as one object. `cli/` adds
 * it to the program. It knows no parser of command lines.
 */
import type { Engine } from '../perform/engine.ts'
import type { Output } from './output.ts'

/** `flag`: `--user <id-or-email>`, or `--all` where it has no value. */
type Option = { readonly flag: string; readonly about?: string; readonly isRequired?: true }
/** By the names that the parser makes: `--password-stdin` is `passwordStdin`. */
type Options = Readonly<Record<string, Option>>
type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S
type LongOf<F> = F extends `--${infer L} <${string}` ? L : F extends `--${infer L}` ? L : never
/** Any other name is a type error. */
type Named<T extends Options> = {
  readonly [N in keyof T]: Camel<LongOf<T[N]['flag']>> extends N ? unknown : never
}
type ValueOf<O extends Option> = O['flag'] extends `${string}<${string}` ? string : boolean
type NeededOf<T extends Options> = {
  [N in keyof T]: T[N] extends { readonly isRequired: true } ? N : never
}[keyof T]
type OptionsOf<T extends Options> = { readonly [N in NeededOf<T>]: ValueOf<T[N]> } & {
  readonly [N in Exclude<keyof T, NeededOf<T>>]?: ValueOf<T[N]>
}

/** `<id>` is required, `[id]` is optional. */
type Argument<A extends string = string> = { readonly name: A; readonly about?: string }
type ArgumentOf<A extends string> = A extends `<${string}` ? string : string | undefined

/** A secret that the database stores where the environment sets none. */
export type KeptSecret = {
  /** The source that replaces it. */
  readonly insteadOfIt: 'key pair' | 'variable' | undefined
  /** The place of the secret, in words. */
  readonly where: string
  /** The stored texts; where there are none, it stores `drawn`. */
  keep(drawn: string): Promise<string>
  replace(text: string): Promise<void>
}

/** Passed to the work of a command: its output, and the application that it works on. */
export type Console = {
  readonly output: Output
  /** Opens the storage, runs the work, and closes the storage in any case. Throws `StartError`. */
  withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T>
  keptSecret(): Promise<KeptSecret>
}

/** Parts of the application that the help of a command lists. */
export type Shown = 'roles' | 'resources' | 'actions'

type Words = {
  readonly name: string
  readonly alias?: string
  readonly about: string
  /** Example calls, without the prompt. */
  readonly examples?: readonly string[]
  readonly shows?: readonly Shown[]
}
type Call<O extends Options, A extends string> = {
  readonly options: OptionsOf<O>
  readonly argument: ArgumentOf<A>
}
type Definition<O extends Options, A extends string> = Words & {
  readonly argument?: Argument<A>
  readonly options?: O & Named<O>
  run(call: Call<NoInfer<O>, NoInfer<A>>, console: Console): Promise<void>
}

/** A command as the program reads it: with work, or with commands below it. */
export type Command = Words & {
  readonly argument?: Argument
  readonly options?: Options
  readonly commands?: readonly Command[]
  run?(call: Call<never, never>, console: Console): Promise<void>
}

export function defineCommand<const O extends Options = Record<never, never>, const A extends string = string>(
  definition: Definition<O, A>,
): Command {
  return definition as never
}
