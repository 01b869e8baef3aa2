export { download, type Downloaded, fileNameOf, type Validators } from './download.ts'
export { createHttpClient, type HttpClient, type HttpSettings } from './http-client.ts'
export { HttpFailure } from './http-failure.ts'
