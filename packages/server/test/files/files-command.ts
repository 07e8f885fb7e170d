/** The command line of the application with files. */
import { runCommandLine } from 'bindery-server'
import type { DeclaredResource } from '../../src/index.ts'
import { resources } from './file-resources.ts'

await runCommandLine(async () => resources as readonly DeclaredResource[])
