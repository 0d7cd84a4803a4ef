/*
 * Flow of an Intel PT stream, as libipt's instruction decoder finds it.
 *
 *   libipt STREAM CODE BASE OUT
 *
 * BASE is the address of the first byte of CODE, hexadecimal. OUT gets the addresses of all
 * instructions, 8 bytes each; standard output a line for each error: offset and text. After an error
 * it goes on at the next PSB.
 */
#include <inttypes.h>
#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>

static void *read_all(const char *name, size_t *size) {
  FILE *in = fopen(name, "rb");
  if (!in) exit(1);
  fseek(in, 0, SEEK_END);
  *size = (size_t)ftell(in);
  rewind(in);
  void *all = malloc(*size + 1);
  if (fread(all, 1, *size, in) != *size) exit(1);
  fclose(in);
  return all;
}

static int report(struct pt_insn_decoder *decoder, int status) {
  uint64_t offset = 0;
  pt_insn_get_offset(decoder, &offset);
  printf("%" PRIx64 " %s\n", offset, pt_errstr(pt_errcode(status)));
  return status;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  size_t size, length;
  uint8_t *stream = read_all(argv[1], &size);
  free(read_all(argv[2], &length));
  uint64_t base = strtoull(argv[3], NULL, 16);
  FILE *out = fopen(argv[4], "wb");
  struct pt_config config;
  pt_config_init(&config);
  config.begin = stream;
  config.end = stream + size;
  struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(&config);
  struct pt_image *image = pt_image_alloc(NULL);
  if (!out || !decoder || pt_image_add_file(image, argv[2], 0, length, NULL, base) < 0) return 1;
  pt_insn_set_image(decoder, image);
  for (;;) {
    int status = pt_insn_sync_forward(decoder);
    if (status < 0) {
      if (status != -pte_eos) report(decoder, status);
      break;
    }
    for (;;) {
      while (status & pts_event_pending) {
        struct pt_event event;
        status = pt_insn_event(decoder, &event, sizeof event);
        if (status < 0) break;
      }
      if (status < 0 || status & pts_eos) break;
      struct pt_insn instruction;
      status = pt_insn_next(decoder, &instruction, sizeof instruction);
      if (instruction.iclass != ptic_error) fwrite(&instruction.ip, 8, 1, out);
      if (status < 0) break;
    }
    if (status >= 0 || status == -pte_eos) {
      if (status == -pte_eos || status & pts_eos) break;
      continue;
    }
    report(decoder, status);
  }
  fclose(out);
  return 0;
}
