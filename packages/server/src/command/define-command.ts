/**
 * A command of the command line as one object: its words, its options and its work. Features have
 * some, and `cli/` makes them part of the program. It knows no parser of command lines.
 */
import type { Engine } from '../perform/engine.ts'
import type { Output } from './output.ts'

/** `flag`: `--user <id-or-email>`, or `--all` where it has no value. */
type Option = { readonly flag: string; readonly about?: string; readonly isRequired?: true }
/** By the names that the parser gives them: `--password-stdin` is `passwordStdin`. */
type Options = Readonly<Record<string, Option>>
type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S
type LongOf<F> = F extends `--${infer L} <${string}` ? L : F extends `--${infer L}` ? L : never
/** No other name compiles. */
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

/** `<id>` is needed, `[id]` is not. */
type Argument<A extends string = string> = { readonly name: A; readonly about?: string }
type ArgumentOf<A extends string> = A extends `<${string}` ? string : string | undefined

/** The secret that a database keeps where the environment has none. */
export type KeptSecret = {
  /** What stands in its place. */
  readonly insteadOfIt: 'key pair' | 'variable' | undefined
  /** The place, in words. */
  readonly where: string
  /** The texts that are kept; `drawn` is kept where there was none. */
  keep(drawn: string): Promise<string>
  replace(text: string): Promise<void>
}

/** What the work of a command is given: where it writes, and the application that it works on. */
export type Console = {
  readonly output: Output
  /** Opens the storage, runs the work, and closes the storage in any case. Throws `StartError`. */
  withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T>
  keptSecret(): Promise<KeptSecret>
}

/** Parts of the application that stand below the help of a command. */
export type Shown = 'roles' | 'resources' | 'actions'

type Words = {
  readonly name: string
  readonly alias?: string
  readonly about: string
  /** Calls, without the prompt. */
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

/** As the program reads it: a command, or a word with commands below it. */
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
