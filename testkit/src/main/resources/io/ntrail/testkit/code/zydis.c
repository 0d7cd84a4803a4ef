/*
 * Instructions as Zydis 4 sees them.
 *
 *   zydis names                               every mnemonic, a line each, in the order of its number
 *   zydis BITS sweep FILE OUT                 length, class and mnemonic of every instruction of every chunk
 *   zydis BITS first FILE OUT                 the same of the first instruction of every chunk
 *   zydis BITS sweep-operands FILE OUT        operands, effects and text of every instruction
 *   zydis BITS first-operands FILE OUT        the same of the first instruction of every chunk
 *   zydis BITS time FILE PASSES               processor milliseconds of each pass, minimal mode
 *   zydis BITS time-full FILE PASSES          the same with all operands
 *   zydis BITS time-text FILE PASSES          the same with Intel syntax
 *
 * FILE: count, then an offset and a length for each chunk, 32 bits each, little-endian; then the bytes
 * that the offsets are relative to. Where there is no instruction it goes on at the next byte.
 *
 * OUT without operands: four bytes an instruction: length (0: none), class (the letters of class_of), number
 * of the mnemonic. MPX is off there, and where time is taken: its encodings are NOPs now.
 *
 * OUT with operands: a line an instruction, with tabs between its columns; a line with just 0 where there
 * is none.
 *
 *   length, mnemonic, prefixes, decoration, operands, text, actions, hidden operands, flags
 *
 * prefixes: lock rep repe repne bnd xacquire xrelease notrack taken not-taken, a blank before each.
 * decoration: kN or kNz, then broadcast as 1to8 or 4to16, then rounding as rn-sae or sae.
 * operand, with a blank before each:
 *   r:NAME   m:BITS:SEGMENT:BASE:INDEX:SCALE:DISPLACEMENT   i:VALUE   j:OFFSET   p:SEGMENT:OFFSET
 * Values are sign-extended from the width that they are encoded with; an address only has 0 bits
 * and no segment. Registers that NOPs name are left out, memory and accumulator of string instructions, which
 * are hidden, are among the operands.
 * actions: a hexadecimal digit an operand: 1 read, 2 written, 4 may be read, 8 may be written. Hidden
 * operands have theirs before them.
 * flags: tested, modified, cleared, set, undefined; of the FPU the same; all hexadecimal.
 * text: Intel syntax, sizes always, no padding, as at the address that is the offset in FILE's bytes.
 */
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ZyanU32 u32(const unsigned char *p) { return p[0] | p[1] << 8 | p[2] << 16 | (ZyanU32) p[3] << 24; }

/* Code in a file. */
typedef struct { ZyanU32 count; const unsigned char *table, *bytes; } Chunks;

static int load(const char *path, Chunks *chunks) {
  FILE *in = fopen(path, "rb");
  if (!in) return 0;
  fseek(in, 0, SEEK_END);
  long size = ftell(in);
  rewind(in);
  unsigned char *file = malloc(size + 1);
  if (!file || fread(file, 1, size, in) != (size_t) size || size < 4) return 0;
  fclose(in);
  chunks->count = u32(file);
  chunks->table = file + 4;
  chunks->bytes = file + 4 + 8L * chunks->count;
  return (long) chunks->count <= (size - 4) / 8;
}

static const unsigned char *chunk(const Chunks *chunks, ZyanU32 c, const unsigned char **end) {
  const unsigned char *at = chunks->bytes + u32(chunks->table + 8L * c);
  *end = at + u32(chunks->table + 8L * c + 4);
  return at;
}

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
    case ZYDIS_MNEMONIC_VMPTRLD: return 'l';
    case ZYDIS_MNEMONIC_UD0: case ZYDIS_MNEMONIC_UD1: case ZYDIS_MNEMONIC_UD2: return 'e';
    case ZYDIS_MNEMONIC_MOV:
      return i->opcode_map == ZYDIS_OPCODE_MAP_0F && i->opcode == 0x22 && i->raw.modrm.reg == 3 ? '3' : 'n';
    default: return i->meta.category == ZYDIS_CATEGORY_COND_BR ? 'b' : 'n';
  }
}

static const char *name(ZydisRegister r) {
  const char *s = r == ZYDIS_REGISTER_NONE ? "" : ZydisRegisterGetString(r);
  return s ? s : "";
}

static void put_operand(FILE *out, const ZydisDecodedOperand *o) {
  switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
      fputs("r:", out);
      fputs(name(o->reg.value), out);
      break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
      int address = o->mem.type == ZYDIS_MEMOP_TYPE_AGEN;
      fprintf(out, "m:%u:%s:%s:%s:%u:%llx", address ? 0 : o->size, address ? "" : name(o->mem.segment), name(o->mem.base), name(o->mem.index), o->mem.scale,
        (unsigned long long) (o->mem.disp.has_displacement ? o->mem.disp.value : 0));
      break;
    case ZYDIS_OPERAND_TYPE_POINTER:
      fprintf(out, "p:%x:%llx", o->ptr.segment, (unsigned long long) o->ptr.offset);
      break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
      if (o->imm.is_relative) fprintf(out, "j:%llx", (unsigned long long) o->imm.value.u);
      else fprintf(out, "i:%llx", (unsigned long long) ((long long) (o->imm.value.u << (64 - o->size)) >> (64 - o->size)));
      break;
    default: fputs("?", out);
  }
}

static int is_shown(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o) {
  if (o->encoding == ZYDIS_OPERAND_ENCODING_MASK) return 0;
  if (o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
    return i->mnemonic != ZYDIS_MNEMONIC_NOP || o->type == ZYDIS_OPERAND_TYPE_MEMORY;
  }
  if (i->meta.category != ZYDIS_CATEGORY_STRINGOP && i->meta.category != ZYDIS_CATEGORY_IOSTRINGOP) return 0;
  if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) return 1;
  if (o->type != ZYDIS_OPERAND_TYPE_REGISTER) return 0;
  switch (o->reg.value) {
    case ZYDIS_REGISTER_AL: case ZYDIS_REGISTER_AX: case ZYDIS_REGISTER_EAX: case ZYDIS_REGISTER_RAX:
    case ZYDIS_REGISTER_DX: return 1;
    default: return 0;
  }
}

static void put_operands(FILE *out, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o) {
  for (int n = 0; n < i->operand_count; n++) {
    if (is_shown(i, &o[n])) {
      fputc(' ', out);
      put_operand(out, &o[n]);
    }
  }
}

static void put_effects(FILE *out, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o) {
  for (int n = 0; n < i->operand_count; n++) {
    if (is_shown(i, &o[n])) fprintf(out, "%x", (unsigned) o[n].actions);
  }
  fputc('\t', out);
  for (int n = 0; n < i->operand_count; n++) {
    if (!is_shown(i, &o[n]) && o[n].encoding != ZYDIS_OPERAND_ENCODING_MASK && o[n].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
      fprintf(out, " %x", (unsigned) o[n].actions);
      put_operand(out, &o[n]);
    }
  }
}

static const struct { ZyanU64 bit; const char *name; } PREFIXES[] = {
  {ZYDIS_ATTRIB_HAS_LOCK, "lock"}, {ZYDIS_ATTRIB_HAS_REP, "rep"}, {ZYDIS_ATTRIB_HAS_REPE, "repe"},
  {ZYDIS_ATTRIB_HAS_REPNE, "repne"}, {ZYDIS_ATTRIB_HAS_BND, "bnd"}, {ZYDIS_ATTRIB_HAS_XACQUIRE, "xacquire"},
  {ZYDIS_ATTRIB_HAS_XRELEASE, "xrelease"}, {ZYDIS_ATTRIB_HAS_NOTRACK, "notrack"},
  {ZYDIS_ATTRIB_HAS_BRANCH_TAKEN, "taken"}, {ZYDIS_ATTRIB_HAS_BRANCH_NOT_TAKEN, "not-taken"}};

/* Where F2 means the same as F3. */
static const char *prefix(const ZydisDecodedInstruction *i, const char *name) {
  int compares = i->opcode == 0xA6 || i->opcode == 0xA7 || i->opcode == 0xAE || i->opcode == 0xAF;
  return !strcmp(name, "repne") && !compares ? "rep" : name;
}

static const char *const BROADCASTS[] = {"", "1to2", "1to4", "1to8", "1to16", "1to32", "1to64", "2to4", "2to8",
  "2to16", "4to8", "4to16", "8to16"};
static const char *const ROUNDINGS[] = {"", "rn", "rd", "ru", "rz"};

static void put_decoration(FILE *out, const ZydisDecodedInstruction *i) {
  if (i->avx.mask.mode > ZYDIS_MASK_MODE_DISABLED) {
    fputs(name(i->avx.mask.reg), out);
    if (i->raw.evex.z) fputc('z', out);
  }
  if (i->avx.broadcast.mode && !i->avx.broadcast.is_static) fprintf(out, " %s", BROADCASTS[i->avx.broadcast.mode]);
  if (i->avx.rounding.mode) fprintf(out, " %s-sae", ROUNDINGS[i->avx.rounding.mode]);
  else if (i->avx.has_sae) fputs(" sae", out);
}

static void put_flags(FILE *out, const ZydisAccessedFlags *f) {
  if (!f) {
    fputs("0 0 0 0 0", out);
    return;
  }
  fprintf(out, "%x %x %x %x %x", f->tested, f->modified, f->set_0, f->set_1, f->undefined);
}

/* A row of four bytes for each instruction. */
static void put_rows(FILE *out, const ZydisDecoder *decoder, const Chunks *chunks, int first) {
  ZydisDecodedInstruction instruction;
  for (ZyanU32 c = 0; c < chunks->count; c++) {
    const unsigned char *end, *at = chunk(chunks, c, &end);
    while (at < end) {
      int ok = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, ZYAN_NULL, at, end - at, &instruction));
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
}

static void put_line(FILE *out, const ZydisFormatter *formatter, const ZydisDecodedInstruction *i,
    const ZydisDecodedOperand *operands, ZyanU64 address) {
  char text[256];
  fprintf(out, "%d\t%s\t", i->length, ZydisMnemonicGetString(i->mnemonic));
  for (size_t p = 0; p < sizeof PREFIXES / sizeof *PREFIXES; p++) {
    if (i->attributes & PREFIXES[p].bit) fprintf(out, " %s", prefix(i, PREFIXES[p].name));
  }
  fputc('\t', out);
  put_decoration(out, i);
  fputc('\t', out);
  put_operands(out, i, operands);
  ZydisFormatterFormatInstruction(formatter, i, operands, i->operand_count_visible, text, sizeof text, address, ZYAN_NULL);
  fprintf(out, "\t%s\t", text);
  put_effects(out, i, operands);
  fputc('\t', out);
  put_flags(out, i->cpu_flags);
  fputc(' ', out);
  put_flags(out, i->fpu_flags);
  fputc('\n', out);
}

/* A line for each instruction. */
static void put_lines(FILE *out, const ZydisDecoder *decoder, const Chunks *chunks, int first) {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  ZydisFormatter formatter;
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
  for (ZyanU32 c = 0; c < chunks->count; c++) {
    const unsigned char *end, *at = chunk(chunks, c, &end);
    while (at < end) {
      int ok = ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, at, end - at, &instruction, operands));
      if (ok) put_line(out, &formatter, &instruction, operands, at - chunks->bytes);
      else fputs("0\n", out);
      if (first) break;
      at += ok ? instruction.length : 1;
    }
  }
}

/* Nothing but the time that it takes. */
static void take_time(ZydisDecoder *decoder, const Chunks *chunks, int full, int text, int passes) {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  ZydisFormatter formatter;
  char line[256];
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  if (!full) ZydisDecoderEnableMode(decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
  for (int pass = passes; pass > 0; pass--) {
    struct timespec from, to;
    unsigned long instructions = 0, sum = 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (ZyanU32 c = 0; c < chunks->count; c++) {
      const unsigned char *end, *at = chunk(chunks, c, &end);
      while (at < end) {
        int ok = ZYAN_SUCCESS(full
          ? ZydisDecoderDecodeFull(decoder, at, end - at, &instruction, operands)
          : ZydisDecoderDecodeInstruction(decoder, ZYAN_NULL, at, end - at, &instruction));
        if (ok && text) {
          ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
            instruction.operand_count_visible, line, sizeof line, at - chunks->bytes, ZYAN_NULL);
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
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "names")) {
    for (int m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++) puts(ZydisMnemonicGetString(m));
    return 0;
  }
  if (argc != 5) return 2;
  int bits = atoi(argv[1]), first = !strncmp(argv[2], "first", 5), timing = !strncmp(argv[2], "time", 4);
  int operands = !timing && strchr(argv[2], '-') != 0;
  Chunks chunks;
  if (!load(argv[3], &chunks)) return 3;
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder,
    bits == 64 ? ZYDIS_MACHINE_MODE_LONG_64 : bits == 32 ? ZYDIS_MACHINE_MODE_LONG_COMPAT_32 : ZYDIS_MACHINE_MODE_LEGACY_16,
    bits == 64 ? ZYDIS_STACK_WIDTH_64 : bits == 32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_16);
  if (!operands) ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);
  if (timing) {
    take_time(&decoder, &chunks, argv[2][4] != 0, !strcmp(argv[2], "time-text"), atoi(argv[4]));
    return 0;
  }
  FILE *out = fopen(argv[4], "wb");
  if (!out) return 3;
  setvbuf(out, 0, _IOFBF, 1 << 20);
  if (operands) put_lines(out, &decoder, &chunks, first);
  else put_rows(out, &decoder, &chunks, first);
  return fclose(out) ? 3 : 0;
}
