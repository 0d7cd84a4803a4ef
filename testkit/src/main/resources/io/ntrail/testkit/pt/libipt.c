/*
 * Intel PT streams, as libipt's decoders find them. After an error they go on at the next PSB.
 *
 *   libipt flow STREAM CODE BASE OUT
 *
 * BASE is the address of the first byte of CODE, hexadecimal. OUT gets the addresses of all
 * instructions, 8 bytes each; standard output a line for each error: offset and text.
 *
 *   libipt time STREAM CODE SECTIONS ROUNDS
 *
 * SECTIONS has a line for each piece of CODE: address, offset and length, hexadecimal. Prints bytes,
 * instructions, blocks, and seconds of processor time: of the packets at best, of the blocks in the
 * first round and at best, of the instruction decoder at best.
 */
#include <inttypes.h>
#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static int flow(char **argv) {
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

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static uint64_t packets(struct pt_config *config) {
  struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(config);
  uint64_t count = 0;
  struct pt_packet packet;
  while (pt_pkt_sync_forward(decoder) >= 0)
    while (pt_pkt_next(decoder, &packet, sizeof packet) > 0) count++;
  pt_pkt_free_decoder(decoder);
  return count;
}

static void blocks(struct pt_config *config, struct pt_image *image, uint64_t *instructions,
                   uint64_t *count) {
  struct pt_block_decoder *decoder = pt_blk_alloc_decoder(config);
  pt_blk_set_image(decoder, image);
  *instructions = *count = 0;
  for (;;) {
    int status = pt_blk_sync_forward(decoder);
    if (status < 0) break;
    for (;;) {
      while (status & pts_event_pending) {
        struct pt_event event;
        status = pt_blk_event(decoder, &event, sizeof event);
        if (status < 0) break;
      }
      if (status < 0 || status & pts_eos) break;
      struct pt_block block;
      status = pt_blk_next(decoder, &block, sizeof block);
      *instructions += block.ninsn;
      *count += block.ninsn != 0;
      if (status < 0) break;
    }
    if (status >= 0 ? status & pts_eos : status == -pte_eos) break;
  }
  pt_blk_free_decoder(decoder);
}

static uint64_t instructions_of(struct pt_config *config, struct pt_image *image) {
  struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(config);
  pt_insn_set_image(decoder, image);
  uint64_t count = 0;
  for (;;) {
    int status = pt_insn_sync_forward(decoder);
    if (status < 0) break;
    for (;;) {
      while (status & pts_event_pending) {
        struct pt_event event;
        status = pt_insn_event(decoder, &event, sizeof event);
        if (status < 0) break;
      }
      if (status < 0 || status & pts_eos) break;
      struct pt_insn instruction;
      status = pt_insn_next(decoder, &instruction, sizeof instruction);
      count += instruction.iclass != ptic_error;
      if (status < 0) break;
    }
    if (status >= 0 ? status & pts_eos : status == -pte_eos) break;
  }
  pt_insn_free_decoder(decoder);
  return count;
}

static int measure(char **argv) {
  size_t size;
  uint8_t *stream = read_all(argv[1], &size);
  struct pt_image_section_cache *cache = pt_iscache_alloc(NULL);
  struct pt_image *image = pt_image_alloc(NULL);
  FILE *sections = fopen(argv[3], "r");
  uint64_t address, offset, length;
  while (sections && fscanf(sections, "%" SCNx64 " %" SCNx64 " %" SCNx64, &address, &offset, &length) == 3)
    if (pt_image_add_cached(image, cache, pt_iscache_add_file(cache, argv[2], offset, length, address), NULL) < 0)
      return 1;
  /* Above all sections: they stay mapped, with what the decoder learned of them. */
  pt_iscache_set_limit(cache, 1ull << 32);
  struct pt_config config;
  pt_config_init(&config);
  config.begin = stream;
  config.end = stream + size;
  config.cpu.vendor = pcv_intel;
  config.cpu.family = 6;
  config.cpu.model = 94;
  config.cpu.stepping = 3;
  pt_cpu_errata(&config.errata, &config.cpu);
  int rounds = atoi(argv[4]);
  double first = 0, best = 1e9, packet_best = 1e9, one_best = 1e9;
  uint64_t instructions = 0, count = 0;
  for (int i = 0; i < rounds; i++) {
    double begin = now();
    packets(&config);
    double took = now() - begin;
    if (took < packet_best) packet_best = took;
    begin = now();
    blocks(&config, image, &instructions, &count);
    took = now() - begin;
    if (i == 0) first = took;
    if (took < best) best = took;
    begin = now();
    uint64_t ones = instructions_of(&config, image);
    took = now() - begin;
    if (took < one_best) one_best = took;
    if (ones != instructions) return 3;
  }
  printf("%zu %" PRIu64 " %" PRIu64 " %.6f %.6f %.6f %.6f\n", size, instructions, count, packet_best, first,
         best, one_best);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  return strcmp(argv[1], "flow") == 0 ? flow(argv + 1) : measure(argv + 1);
}
