/** How soon the numbers of several workers come where one of them dies. */
import './tally.test.ts'
