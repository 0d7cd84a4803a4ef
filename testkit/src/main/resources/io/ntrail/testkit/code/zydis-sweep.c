/*
 * Lengths, classes and mnemonics of instructions, as Zydis sees them.
 *
 *   zydis-sweep names                         every mnemonic, a line each, in the order of its number
 *   zydis-sweep BITS sweep FILE OUT           every instruction of every chunk
 *   zydis-sweep BITS first FILE OUT           the first instruction of every chunk
 *   zydis-sweep BITS time FILE PASSES         processor milliseconds of each pass, minimal mode
 *   zydis-sweep BITS time-full FILE PASSES    the same with all operands
 *   zydis-sweep BITS time-text FILE PASSES    the same with Intel syntax
 *
 * FILE: count, then an offset and a length for each chunk, 32 bits each, little-endian; then the bytes
 * that the offsets are relative to. OUT: four bytes an instruction: length (0: none, go on at the next
 * byte), class (the letters of class_of), number of the mnemonic. MPX is off: its encodings are NOPs now.
 */
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_relative(const ZydisDecodedInstruction *i) { return i->raw.imm[0].is_relative; }

static int is_far(const ZydisDecodedInstruction *i) {
  if (i->opcode == 0x9A || i->opcode == 0xEA || i->opcode == 0xCA || i->opcode == 0xCB) return 1;
  return i->opcode == 0xFF && (i->raw.modrm.reg == 3 || i->raw.modrm.reg == 5);
}

static char class_of(const ZydisDecodedInstruction *i) {
  switch (i->mnemonic) {
    case ZYDIS_MNEMONIC_JMP: return is_far(i) ? 'F' : is_relative(i) ? 'j' : 'J';
    case ZYDIS_MNEMONIC_CALL: return is_far(i) ? 'G' : is_relative(i) ? 'c' : 'C';
    case ZYDIS_MNEMONIC_RET: return is_far(i) ? 'R' : 'r';
    case ZYDIS_MNEMONIC_INT: case ZYDIS_MNEMONIC_INT1: case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_INTO: return 'i';
    case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD: case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_UIRET: return 'I';
    case ZYDIS_MNEMONIC_SYSCALL: case ZYDIS_MNEMONIC_SYSENTER: return 's';
    case ZYDIS_MNEMONIC_SYSRET: case ZYDIS_MNEMONIC_SYSEXIT: case ZYDIS_MNEMONIC_RSM:
    case ZYDIS_MNEMONIC_SKINIT: return 'S';
    case ZYDIS_MNEMONIC_VMLAUNCH: case ZYDIS_MNEMONIC_VMRESUME: case ZYDIS_MNEMONIC_VMRUN: return 'v';
    case ZYDIS_MNEMONIC_VMCALL: case ZYDIS_MNEMONIC_VMMCALL: case ZYDIS_MNEMONIC_TDCALL:
    case ZYDIS_MNEMONIC_SEAMCALL: case ZYDIS_MNEMONIC_SEAMRET: return 'V';
    case ZYDIS_MNEMONIC_XBEGIN: return 'x';
    case ZYDIS_MNEMONIC_XABORT: return 'a';
    case ZYDIS_MNEMONIC_XEND: return 'X';
    case ZYDIS_MNEMONIC_PTWRITE: return 'p';
    case ZYDIS_MNEMONIC_UD0: case ZYDIS_MNEMONIC_UD1: case ZYDIS_MNEMONIC_UD2: return 'e';
    case ZYDIS_MNEMONIC_MOV:
      return i->opcode_map == ZYDIS_OPCODE_MAP_0F && i->opcode == 0x22 && i->raw.modrm.reg == 3 ? '3' : 'n';
    default: return i->meta.category == ZYDIS_CATEGORY_COND_BR ? 'b' : 'n';
  }
}

static ZyanU32 u32(const unsigned char *p) { return p[0] | p[1] << 8 | p[2] << 16 | (ZyanU32) p[3] << 24; }

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "names")) {
    for (int m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++) puts(ZydisMnemonicGetString(m));
    return 0;
  }
  if (argc != 5) return 2;
  int bits = atoi(argv[1]), first = !strcmp(argv[2], "first"), timing = !strncmp(argv[2], "time", 4);
  int full = timing && argv[2][4], text = full && !strcmp(argv[2], "time-text");
  FILE *in = fopen(argv[3], "rb");
  if (!in) return 3;
  fseek(in, 0, SEEK_END);
  long size = ftell(in);
  rewind(in);
  unsigned char *file = malloc(size + 1);
  if (!file || fread(file, 1, size, in) != (size_t) size || size < 4) return 3;
  ZyanU32 count = u32(file);
  if ((long) count > (size - 4) / 8) return 3;
  const unsigned char *bytes = file + 4 + 8L * count;

  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder,
    bits == 64 ? ZYDIS_MACHINE_MODE_LONG_64 : bits == 32 ? ZYDIS_MACHINE_MODE_LONG_COMPAT_32 : ZYDIS_MACHINE_MODE_LEGACY_16,
    bits == 64 ? ZYDIS_STACK_WIDTH_64 : bits == 32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_16);
  ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);
  ZydisDecodedInstruction instruction;
  if (timing) {
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisFormatter formatter;
    char line[256];
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    if (!full) ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    for (int pass = atoi(argv[4]); pass > 0; pass--) {
      struct timespec from, to;
      unsigned long instructions = 0, sum = 0;
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
      for (ZyanU32 c = 0; c < count; c++) {
        const unsigned char *at = bytes + u32(file + 4 + 8L * c), *end = at + u32(file + 8 + 8L * c);
        while (at < end) {
          int ok = ZYAN_SUCCESS(full
            ? ZydisDecoderDecodeFull(&decoder, at, end - at, &instruction, operands)
            : ZydisDecoderDecodeInstruction(&decoder, ZYAN_NULL, at, end - at, &instruction));
          if (ok && text) {
            ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
              instruction.operand_count_visible, line, sizeof line, at - bytes, ZYAN_NULL);
            sum += line[0];
          }
          sum += ok ? instruction.meta.category : 0;
          at += ok ? instruction.length : 1;
          instructions++;
        }
      }
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
      printf("%.3f %lu %lu\n", (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6, instructions, sum);
    }
    return 0;
  }
  FILE *out = fopen(argv[4], "wb");
  if (!out) return 3;
  for (ZyanU32 c = 0; c < count; c++) {
    const unsigned char *at = bytes + u32(file + 4 + 8L * c), *end = at + u32(file + 8 + 8L * c);
    while (at < end) {
      int ok = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, ZYAN_NULL, at, end - at, &instruction));
      unsigned char row[4] = {0, '?', 0, 0};
      if (ok) {
        row[0] = instruction.length;
        row[1] = class_of(&instruction);
        row[2] = instruction.mnemonic & 0xFF;
        row[3] = instruction.mnemonic >> 8;
      }
      fwrite(row, 1, 4, out);
      if (first) break;
      at += ok ? instruction.length : 1;
    }
  }
  return fclose(out) ? 3 : 0;
}
