/*
 * Operands, effects and text of instructions with Zydis 4.
 *
 *   zydis-operands BITS sweep FILE OUT    every instruction of every chunk
 *   zydis-operands BITS first FILE OUT    the first instruction of every chunk
 *
 * FILE as for zydis-sweep. OUT: a line an instruction, with tabs between its columns; a line with just 0
 * where there is none (go on at the next byte).
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

static ZyanU32 u32(const unsigned char *p) { return p[0] | p[1] << 8 | p[2] << 16 | (ZyanU32) p[3] << 24; }

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

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  int bits = atoi(argv[1]), first = !strcmp(argv[2], "first");
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
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  ZydisFormatter formatter;
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
  char text[256];
  FILE *out = fopen(argv[4], "wb");
  if (!out) return 3;
  setvbuf(out, 0, _IOFBF, 1 << 20);
  for (ZyanU32 c = 0; c < count; c++) {
    const unsigned char *at = bytes + u32(file + 4 + 8L * c), *end = at + u32(file + 8 + 8L * c);
    while (at < end) {
      int ok = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, end - at, &instruction, operands));
      if (ok) {
        fprintf(out, "%d\t%s\t", instruction.length, ZydisMnemonicGetString(instruction.mnemonic));
        for (size_t p = 0; p < sizeof PREFIXES / sizeof *PREFIXES; p++) {
          if (instruction.attributes & PREFIXES[p].bit) fprintf(out, " %s", prefix(&instruction, PREFIXES[p].name));
        }
        fputc('\t', out);
        put_decoration(out, &instruction);
        fputc('\t', out);
        put_operands(out, &instruction, operands);
        ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
          instruction.operand_count_visible, text, sizeof text, at - bytes, ZYAN_NULL);
        fprintf(out, "\t%s\t", text);
        put_effects(out, &instruction, operands);
        fputc('\t', out);
        put_flags(out, instruction.cpu_flags);
        fputc(' ', out);
        put_flags(out, instruction.fpu_flags);
        fputc('\n', out);
      } else {
        fputs("0\n", out);
      }
      if (first) break;
      at += ok ? instruction.length : 1;
    }
  }
  return fclose(out) ? 3 : 0;
}
