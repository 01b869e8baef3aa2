import type { ProblemPages } from '../../platform/errors.ts'

export const artifactProblems: ProblemPages = {
  'artifact-not-found': {
    title: 'No artifact',
    advice:
      'Of a firmware version: PUT …/firmware-versions/{id}/artifact uploads it. Of a device update: the link is not valid, or the update has finished. The desired update of the device contains the current link.',
  },
  'artifact-deployed': {
    title: 'The artifact can no longer be changed',
    advice:
      'Devices know its digest from deployments. Create another firmware version for other bytes.',
  },
  'artifact-too-many-parts': {
    title: 'The version has all parts it may have',
    advice: 'Put several files into one image, or delete a part that no device needs.',
  },
  'too-many-artifact-addresses': {
    title: 'The version has all standing addresses it may have',
    advice: 'Revoke one that no device needs any more, or wait until one ends.',
  },
  'too-many-ranges': {
    title: 'Too many ranges in one request',
    advice:
      'Nothing was sent. Ask for fewer ranges at a time; ranges that touch can be asked for as one.',
  },
  'artifact-digest-mismatch': {
    title: 'The received bytes differ from the declared digest',
    advice: 'Nothing was stored. Compute Repr-Digest over the bytes of the file and send it again.',
  },
  'artifact-part-length': {
    title: 'The part is longer or shorter than its Content-Range',
    advice: 'Nothing of the part was stored. GET …/artifact/upload shows where to continue.',
  },
  'artifact-offset-wrong': {
    title: 'The part does not begin where the upload continues',
    advice: 'Continue from the byte that the header Upload-Offset names.',
  },
  'artifact-upload-not-found': {
    title: 'No such upload',
    advice:
      'It is complete, has expired, or was replaced by another. GET …/artifact shows the current artifact; otherwise start again.',
  },
}
