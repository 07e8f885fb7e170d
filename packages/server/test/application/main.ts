/** The application of the engine's own tests as a process: a library. Between them its resources use all that a declaration may say. */
import { runService } from 'bindery-server'
import { resources } from './resources/index.ts'

await runService(resources)
