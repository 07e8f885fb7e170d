/**
 * The part of a feature at the command line: its commands, and the sentences and checks that it
 * adds to commands of the whole database.
 */
import type { Status } from '../observe/status.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Command } from './define-command.ts'

/** Parts of sentences, in the places where they stand. */
export type Sayings = {
  /** Of `copy`: what is copied as it is, and what is not. */
  readonly copied: string
  readonly notCopied: string
  readonly restored: string
  /** What an export has only where secrets are wanted. */
  readonly secrets: string
  readonly notExported: string
  readonly exportedWithout: string
  /** After an export with the secrets, and without. */
  readonly exportedWith: string
  readonly exportedBare: string
  readonly importedWithout: string
  /** After an import of records, and of a whole file, without their secrets. */
  readonly afterImport: string
  readonly afterBareImport: string
  /** The credential by which a program asks as the operator. */
  readonly operatorKey: string
  /** Work that writes leave, and its kind. */
  readonly leftWork: string
  readonly leftKind: string
}

/**
 * What signs and seals, as the configuration has it. A file is one that the server may have made.
 */
export type SigningFound = {
  readonly jwtSecret: string | undefined
  /** Of a key pair that signs in place of the secret: whether the environment has it. */
  readonly signing: { readonly isGiven: boolean } | undefined
  /** Whether instances share the database, which keeps what was made. */
  readonly isShared: boolean
  readonly files: { readonly secret: string; readonly key: string }
}

export type SigningFinding = {
  readonly check: string
  readonly level: 'ok' | 'warn' | 'bad'
  readonly where: string
  readonly what: string
  readonly todo?: string
}

type Figure = readonly [name: string, count: number]

export type ConsolePart = {
  readonly commands: readonly Command[]
  /** A call that the help of the program shows. */
  readonly example: string
  readonly says: Sayings
  /** Figures of `bindery top`: what was refused, and what waits. */
  figures(status: Status): { readonly refused: readonly Figure[]; readonly waiting: readonly Figure[] }
  /** The kinds of work that its writes leave. */
  leftKinds(catalog: Catalog): Promise<readonly string[]>
  /** Of the doctor. */
  inspectSigning(found: SigningFound, catalog: Catalog | undefined): Promise<readonly SigningFinding[]>
  /** Throws `StartError` where its tables contradict each other. */
  checkCatalog(catalog: Catalog): Promise<void>
}
