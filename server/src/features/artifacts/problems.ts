import type { ProblemPages } from '../../platform/errors.ts'

export const artifactProblems: ProblemPages = {
  'artifact-not-found': {
    title: 'No artifact',
    advice:
      'Of a firmware version: PUT …/firmware-versions/{id}/artifact uploads it. Of a device update: the link is not valid, or the update is over; what is desired of the device holds the current link.',
  },
  'artifact-deployed': {
    title: 'The artifact can no longer be changed',
    advice:
      'Deployments have told devices its digest. Create another firmware version for other bytes.',
  },
  'artifact-digest-mismatch': {
    title: 'Other bytes arrived than declared',
    advice: 'Nothing was kept. Compute Repr-Digest over the bytes of the file and send it again.',
  },
  'artifact-part-length': {
    title: 'The part is longer or shorter than its Content-Range',
    advice: 'Nothing of the part was kept; GET …/artifact/upload tells where to go on.',
  },
  'artifact-offset-wrong': {
    title: 'The part does not begin where the upload goes on',
    advice: 'Go on from the byte that the header Upload-Offset names.',
  },
  'artifact-upload-not-found': {
    title: 'No such upload',
    advice:
      'It is complete, has expired, or another took its place: GET …/artifact tells what is there; else begin anew.',
  },
}
