/**
 * The command-line part of a feature: its commands, and the texts and checks that it adds to
 * commands of the whole database.
 */
import type { Status } from '../observe/status.ts'
import type { Engine } from '../perform/engine.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { WorkEvent } from '../resource/effects/work-event.ts'
import type { Command } from './define-command.ts'

/** Texts that a feature adds to sentences of other commands. */
export type Sayings = {
  /** For `copy`: which data is copied unchanged, and which is not. */
  readonly copied: string
  readonly notCopied: string
  readonly restored: string
  /** Data that an export has only with its secrets. */
  readonly secrets: string
  readonly notExported: string
  readonly exportedWithout: string
  /** For exports with the secrets, and without. */
  readonly exportedWith: string
  readonly exportedBare: string
  readonly importedWithout: string
  /** For imports of records, and of a whole file, without their secrets. */
  readonly afterImport: string
  readonly afterBareImport: string
  /** The credential with which a program acts as the operator. */
  readonly operatorKey: string
  /** The work that writes queue, and its kind. */
  readonly leftWork: string
  readonly leftKind: string
}

/** The signing secrets in the configuration. A file is one that the server may have made. */
export type SigningFound = {
  readonly jwtSecret: string | undefined
  /** Where a key pair signs instead of the secret: whether the environment has it. */
  readonly signing: { readonly isGiven: boolean } | undefined
  /** Whether instances share the database, which stores generated secrets. */
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

/** An act of the operator on work that waits. */
export type ConsoleAct = { readonly event: WorkEvent; readonly details: Readonly<Record<string, Scalar>> }

type Figure = readonly [name: string, count: number]

export type ConsolePart = {
  readonly commands: readonly Command[]
  /** An example call for the help of the program. */
  readonly example: string
  readonly says: Sayings
  /** Figures of `bindery top`: refused requests, and waiting work. */
  figures(status: Status): { readonly refused: readonly Figure[]; readonly waiting: readonly Figure[] }
  /** The kinds of work that its writes leave. */
  leftKinds(catalog: Catalog): Promise<readonly string[]>
  /** Records what the operator does, where the application keeps such a record. */
  noteActs(engine: Pick<Engine, 'records' | 'catalog'>, acts: readonly ConsoleAct[]): Promise<void>
  /** Checks for the doctor. */
  inspectSigning(found: SigningFound, catalog: Catalog | undefined): Promise<readonly SigningFinding[]>
  /** Throws `StartError` where its tables contradict each other. */
  checkCatalog(catalog: Catalog): Promise<void>
}
