/**
 * How long others wait, and how much memory is taken, during the attacks that `npm test` only looks
 * at for what is answered.
 */
import './slow-clients.test.ts'
import './tiny-chunks.test.ts'
import './unread-answers.test.ts'
