/**
 * Packs `bindery-server` from this clone for an application that the clone creates. It writes into
 * the folder of its argument and prints the path. In a test run, all tests share one packed file.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { packCopy } from './pack-copy.ts'
import { packOnce } from './pack-once.ts'

const folder = resolve(process.argv[2] as string)
mkdirSync(folder, { recursive: true })
const { server } = process.env.BINDERY_TEST_RUN ? await packOnce() : packCopy(folder)
process.stdout.write(`${server}\n`)
