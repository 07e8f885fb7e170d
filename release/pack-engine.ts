/**
 * Packs `bindery-server` as it is here, for an application of one's own that a clone creates: into
 * the folder that the argument names, and prints where it is. In a run of the tests it is what all
 * of them share.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { packCopy } from './pack-copy.ts'
import { packOnce } from './pack-once.ts'

const folder = resolve(process.argv[2] as string)
mkdirSync(folder, { recursive: true })
const { server } = process.env.BINDERY_TEST_RUN ? await packOnce() : packCopy(folder)
process.stdout.write(`${server}\n`)
