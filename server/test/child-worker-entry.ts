import { answerQuestions } from '../src/platform/child-worker.ts'

answerQuestions((question) => {
  if (question === 'exit') process.exit(3)
  if (question === 'fail') throw new Error('a bug')
  return [question, process.pid]
})
