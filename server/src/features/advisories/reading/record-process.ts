/** Runs in a child process: makes rows of records while the service reads on. */
import { answerQuestions } from '../../../platform/child-worker.ts'
import { type RecordBatch, stageBatch } from './record-batches.ts'

if (process.send) answerQuestions((batch) => stageBatch(batch as RecordBatch))
