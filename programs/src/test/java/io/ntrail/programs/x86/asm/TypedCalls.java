package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.RegisterOrMemory;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.Xmm;
import io.ntrail.programs.x86.asm.operands.XmmOrMemory;
import io.ntrail.programs.x86.asm.operands.Ymm;
import io.ntrail.programs.x86.asm.operands.YmmOrMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Draws calls of the typed methods, and what to write for nasm for each. */
final class TypedCalls {
  /** A call with two operands. */
  @FunctionalInterface
  interface Two<A, B> {
    Assembler call(Assembler assembler, A first, B second);
  }

  private final RandomOperands random;
  private final boolean wide;
  private final List<Written> all = new ArrayList<>();

  TypedCalls(RandomOperands random, boolean wide) {
    this.random = random;
    this.wide = wide;
  }

  List<Written> draw(int rounds) {
    for (int i = 0; i < rounds; i++) {
      pairs();
      registerAndMemory();
      numbers();
      singles();
      bits();
      moves();
      branches();
      vectors();
      systems();
    }
    return all;
  }

  private void add(String text, Consumer<Assembler> call) {
    all.add(new Written(text, (a, _) -> call.accept(a), ""));
  }

  private <A extends AssemblerOperand, B extends AssemblerOperand> void two(
      String name, A first, B second, Two<A, B> call) {
    if (!highBesideRex(first, second)) {
      add(NasmText.of(name, first, second), a -> call.call(a, first, second));
    }
  }

  private <A extends AssemblerOperand> void one(
      String name, A operand, BiConsumer<Assembler, A> call) {
    add(NasmText.of(name, operand), a -> call.accept(a, operand));
  }

  private static boolean highBesideRex(AssemblerOperand... operands) {
    return FormSweepTest.isHighBesideRex(operands);
  }

  private Gpr<?> gpr() {
    return random.gpr(random.oneOf(8, 16, 32, wide ? 64 : 32));
  }

  private Gpr<?> wideGpr() {
    return random.gpr(random.oneOf(16, 32, wide ? 64 : 32));
  }

  private RegisterOrMemory either(int bits) {
    return random.flag() ? random.gpr(bits) : random.memory(bits);
  }

  private int anyBits() {
    return random.oneOf(8, 16, 32, wide ? 64 : 32);
  }

  private int wideBits() {
    return random.oneOf(16, 32, wide ? 64 : 32);
  }

  private int stackBits() {
    return random.below(4) == 0 ? 16 : wide ? 64 : 32;
  }

  private void same(
      String name,
      Two<Reg8, Reg8> bytes,
      Two<Reg16, Reg16> words,
      Two<Reg32, Reg32> doubles,
      Two<Reg64, Reg64> quads) {
    two(name, random.r8(), random.r8(), bytes);
    same(name, words, doubles, quads);
  }

  private void same(
      String name, Two<Reg16, Reg16> words, Two<Reg32, Reg32> doubles, Two<Reg64, Reg64> quads) {
    two(name, random.r16(), random.r16(), words);
    two(name, random.r32(), random.r32(), doubles);
    if (wide) {
      two(name, random.r64(), random.r64(), quads);
    }
  }

  private void pairs() {
    same("mov", Assembler::mov, Assembler::mov, Assembler::mov, Assembler::mov);
    same("add", Assembler::add, Assembler::add, Assembler::add, Assembler::add);
    same("or", Assembler::or, Assembler::or, Assembler::or, Assembler::or);
    same("adc", Assembler::adc, Assembler::adc, Assembler::adc, Assembler::adc);
    same("sbb", Assembler::sbb, Assembler::sbb, Assembler::sbb, Assembler::sbb);
    same("and", Assembler::and, Assembler::and, Assembler::and, Assembler::and);
    same("sub", Assembler::sub, Assembler::sub, Assembler::sub, Assembler::sub);
    same("xor", Assembler::xor, Assembler::xor, Assembler::xor, Assembler::xor);
    same("cmp", Assembler::cmp, Assembler::cmp, Assembler::cmp, Assembler::cmp);
    same("test", Assembler::test, Assembler::test, Assembler::test, Assembler::test);
    same("xchg", Assembler::xchg, Assembler::xchg, Assembler::xchg, Assembler::xchg);
    same("xadd", Assembler::xadd, Assembler::xadd, Assembler::xadd, Assembler::xadd);
    same("cmpxchg", Assembler::cmpxchg, Assembler::cmpxchg, Assembler::cmpxchg, Assembler::cmpxchg);
    same("bt", Assembler::bt, Assembler::bt, Assembler::bt);
    same("bts", Assembler::bts, Assembler::bts, Assembler::bts);
    same("btr", Assembler::btr, Assembler::btr, Assembler::btr);
    same("btc", Assembler::btc, Assembler::btc, Assembler::btc);
  }

  private void registerAndMemory() {
    toRegister("mov", Assembler::mov);
    toRegister("add", Assembler::add);
    toRegister("or", Assembler::or);
    toRegister("adc", Assembler::adc);
    toRegister("sbb", Assembler::sbb);
    toRegister("and", Assembler::and);
    toRegister("sub", Assembler::sub);
    toRegister("xor", Assembler::xor);
    toRegister("cmp", Assembler::cmp);
    toRegister("test", Assembler::test);
    toRegister("xchg", Assembler::xchg);
    toMemory("mov", Assembler::mov);
    toMemory("add", Assembler::add);
    toMemory("or", Assembler::or);
    toMemory("adc", Assembler::adc);
    toMemory("sbb", Assembler::sbb);
    toMemory("and", Assembler::and);
    toMemory("sub", Assembler::sub);
    toMemory("xor", Assembler::xor);
    toMemory("cmp", Assembler::cmp);
    toMemory("test", Assembler::test);
    toMemory("xchg", Assembler::xchg);
    toMemory("xadd", Assembler::xadd);
    toMemory("cmpxchg", Assembler::cmpxchg);
    two("bt", random.memory(0), wideGpr(), Assembler::bt);
    two("bts", random.memory(0), wideGpr(), Assembler::bts);
    two("btr", random.memory(0), wideGpr(), Assembler::btr);
    two("btc", random.memory(0), wideGpr(), Assembler::btc);
    locked("add", (a, m, r) -> a.lock().add(m, r));
    locked("xadd", (a, m, r) -> a.lock().xadd(m, r));
    locked("cmpxchg", (a, m, r) -> a.lock().cmpxchg(m, r));
    two("lea", wideGpr(), random.memory(0), Assembler::lea);
  }

  private void toRegister(String name, Two<Gpr<?>, Mem> call) {
    two(name, gpr(), random.memory(0), call);
  }

  private void toMemory(String name, Two<Mem, Gpr<?>> call) {
    two(name, random.memory(0), gpr(), call);
  }

  private void locked(String name, Two<Mem, Gpr<?>> call) {
    two("lock " + name, random.memory(0), gpr(), call);
  }

  private void numbers() {
    number("mov", Assembler::mov, Assembler::mov);
    number("add", Assembler::add, Assembler::add);
    number("or", Assembler::or, Assembler::or);
    number("adc", Assembler::adc, Assembler::adc);
    number("sbb", Assembler::sbb, Assembler::sbb);
    number("and", Assembler::and, Assembler::and);
    number("sub", Assembler::sub, Assembler::sub);
    number("xor", Assembler::xor, Assembler::xor);
    number("cmp", Assembler::cmp, Assembler::cmp);
    number("test", Assembler::test, Assembler::test);
    if (wide) {
      Reg64 to = random.r64();
      long value = random.number(64);
      two("mov", to, Imm.imm(value), (a, r, _) -> a.mov(r, value));
      add("mov " + NasmText.of(to) + ", strict qword " + value, a -> a.mov(to, Imm.imm64(value)));
    }
    Gpr<?> to = wideGpr();
    long factor = random.signed(Math.min(32, to.bits()));
    RegisterOrMemory from = either(to.bits());
    add(NasmText.of("imul", to, from, Imm.imm(factor)), a -> a.imul(to, from, factor));
  }

  private void number(
      String name, Two<RegisterOrMemory, Long> call, Two<RegisterOrMemory, Imm> withWidth) {
    RegisterOrMemory to = either(anyBits());
    int bits = to instanceof Gpr<?> r ? r.bits() : ((Mem) to).bits();
    long value = bits == 64 ? random.signed(32) : random.number(bits);
    two(name, to, Imm.imm(value), (a, where, _) -> call.call(a, where, value));
    if (bits == 32) {
      String forced = NasmText.of(name, to) + ", strict dword " + (int) value;
      add(forced, a -> withWidth.call(a, to, Imm.imm32(value)));
    }
  }

  private void singles() {
    one("inc", either(anyBits()), Assembler::inc);
    one("dec", either(anyBits()), Assembler::dec);
    one("neg", either(anyBits()), Assembler::neg);
    one("not", either(anyBits()), Assembler::not);
    one("mul", either(anyBits()), Assembler::mul);
    one("imul", either(anyBits()), (a, what) -> a.imul(what));
    one("div", either(anyBits()), Assembler::div);
    one("idiv", either(anyBits()), Assembler::idiv);
    one("push", either(stackBits()), (a, what) -> a.push(what));
    one("pop", either(stackBits()), (a, what) -> a.pop(what));
    SegmentRegister segment =
        wide
            ? random.oneOf(SegmentRegister.FS, SegmentRegister.GS)
            : random.oneOf(SegmentRegister.DS, SegmentRegister.ES);
    one("push", segment, (a, what) -> a.push(what));
    one("pop", segment, (a, what) -> a.pop(what));
    long value = random.signed(32);
    add("push " + value, a -> a.push(value));
    add("push strict dword " + value, a -> a.push(Imm.imm32(value)));
    Gpr<?> swapped = random.gpr(wide ? random.oneOf(32, 64) : 32);
    one("bswap", swapped, Assembler::bswap);
    int bytes = random.below(1 << 16);
    add("enter " + bytes + ", 3", a -> a.enter(bytes, 3));
  }

  private void bits() {
    shift("rol", Assembler::rol, Assembler::rol);
    shift("ror", Assembler::ror, Assembler::ror);
    shift("rcl", Assembler::rcl, Assembler::rcl);
    shift("rcr", Assembler::rcr, Assembler::rcr);
    shift("shl", Assembler::shl, Assembler::shl);
    shift("shr", Assembler::shr, Assembler::shr);
    shift("sar", Assembler::sar, Assembler::sar);
    bit("bt", Assembler::bt);
    bit("bts", Assembler::bts);
    bit("btr", Assembler::btr);
    bit("btc", Assembler::btc);
    find("bsf", Assembler::bsf);
    find("bsr", Assembler::bsr);
    find("popcnt", Assembler::popcnt);
    find("tzcnt", Assembler::tzcnt);
    find("lzcnt", Assembler::lzcnt);
    find("imul", (a, to, from) -> a.imul(to, from));
    Condition condition = random.oneOf(Condition.values());
    one("set" + name(condition), either(8), (a, what) -> a.set(condition, what));
    find("cmov" + name(condition), (a, to, from) -> a.cmov(condition, to, from));
  }

  private static String name(Condition condition) {
    return condition.name().toLowerCase(Locale.ROOT);
  }

  private void shift(
      String name, Two<RegisterOrMemory, Integer> call, Two<RegisterOrMemory, Reg8> byCl) {
    RegisterOrMemory what = either(anyBits());
    int count = random.below(4) == 0 ? 1 : random.below(32);
    two(name, what, Imm.imm(count), (a, where, _) -> call.call(a, where, count));
    two(name, either(anyBits()), Reg8.CL, byCl);
  }

  private void bit(String name, Two<RegisterOrMemory, Integer> call) {
    int bit = random.below(16);
    two(name, either(wideBits()), Imm.imm(bit), (a, where, _) -> call.call(a, where, bit));
  }

  private void find(String name, Two<Gpr<?>, RegisterOrMemory> call) {
    Gpr<?> to = wideGpr();
    two(name, to, either(to.bits()), call);
  }

  private void moves() {
    Gpr<?> to = random.gpr(random.oneOf(32, wide ? 64 : 32));
    two("movzx", to, either(random.oneOf(8, 16)), Assembler::movzx);
    two("movsx", to, either(random.oneOf(8, 16)), Assembler::movsx);
    if (wide) {
      two("movsxd", random.r64(), either(32), Assembler::movsxd);
      one("cmpxchg16b", random.memory(0), Assembler::cmpxchg16b);
    }
    one("cmpxchg8b", random.memory(0), Assembler::cmpxchg8b);
    one("lock cmpxchg8b", random.memory(0), (a, m) -> a.lock().cmpxchg8b(m));
    two(
        "mov",
        random.oneOf(SegmentRegister.DS, SegmentRegister.ES),
        random.r16(),
        (a, s, r) -> a.mov(s, r));
    two(
        "mov",
        random.gpr(random.oneOf(16, 32, wide ? 64 : 32)),
        SegmentRegister.FS,
        Assembler::mov);
    two("mov", SegmentRegister.GS, random.memory(16), (a, s, m) -> a.mov(s, m));
  }

  private void branches() {
    one("jmp", either(wide ? 64 : 32), (a, what) -> a.jmp(what));
    one("call", either(wide ? 64 : 32), (a, what) -> a.call(what));
    int distance = random.below(2_000_000) - 1_000_000;
    int near = random.below(200) - 90;
    Condition c = random.oneOf(Condition.values());
    to("jmp near $+" + distance, (a, here) -> a.jmp(here + distance));
    to("jmp short $+" + near, (a, here) -> a.jmpShort(here + near));
    to("call $+" + distance, (a, here) -> a.call(here + distance));
    to("j" + name(c) + " near $+" + distance, (a, here) -> a.j(c, here + distance));
    int bytes = random.below(1 << 16);
    add("ret " + bytes, a -> a.ret(bytes));
    int number = random.below(256);
    add("int " + number, a -> a.interrupt(number));
  }

  private void to(String text, Written.Call call) {
    all.add(new Written(text, call, ""));
  }

  private XmmOrMemory xmmOr(int bits) {
    return random.flag() ? random.xmm() : random.memory(bits);
  }

  private void vectors() {
    vector("movaps", Assembler::movaps, Assembler::movaps);
    vector("movups", Assembler::movups, Assembler::movups);
    vector("movapd", Assembler::movapd, Assembler::movapd);
    vector("movupd", Assembler::movupd, Assembler::movupd);
    vector("movdqa", Assembler::movdqa, Assembler::movdqa);
    vector("movdqu", Assembler::movdqu, Assembler::movdqu);
    vector("movss", Assembler::movss, Assembler::movss);
    vector("movsd", Assembler::movsd, Assembler::movsd);
    two("movlps", random.memory(64), random.xmm(), Assembler::movlps);
    two("movlps", random.xmm(), random.memory(64), Assembler::movlps);
    two("movhps", random.memory(64), random.xmm(), Assembler::movhps);
    two("movhps", random.xmm(), random.memory(64), Assembler::movhps);
    two("movd", random.xmm(), either(32), Assembler::movd);
    two("movd", either(32), random.xmm(), Assembler::movd);
    RegisterOrMemory quad = wide ? either(64) : random.memory(64);
    two("movq", random.xmm(), quad, (a, x, what) -> a.movq(x, what));
    two("movq", quad, random.xmm(), (a, what, x) -> a.movq(what, x));
    two("movq", random.xmm(), random.xmm(), (a, x, y) -> a.movq(x, y));
    two("pxor", random.xmm(), xmmOr(128), Assembler::pxor);
    two("por", random.xmm(), xmmOr(128), Assembler::por);
    two("pand", random.xmm(), xmmOr(128), Assembler::pand);
    two("pcmpeqb", random.xmm(), xmmOr(128), Assembler::pcmpeqb);
    two("pcmpeqw", random.xmm(), xmmOr(128), Assembler::pcmpeqw);
    two("pcmpeqd", random.xmm(), xmmOr(128), Assembler::pcmpeqd);
    two("paddd", random.xmm(), xmmOr(128), Assembler::paddd);
    two("paddq", random.xmm(), xmmOr(128), Assembler::paddq);
    two("xorps", random.xmm(), xmmOr(128), Assembler::xorps);
    two("addss", random.xmm(), xmmOr(32), Assembler::addss);
    two("addsd", random.xmm(), xmmOr(64), Assembler::addsd);
    two("subsd", random.xmm(), xmmOr(64), Assembler::subsd);
    two("mulsd", random.xmm(), xmmOr(64), Assembler::mulsd);
    two("divsd", random.xmm(), xmmOr(64), Assembler::divsd);
    two("ucomisd", random.xmm(), xmmOr(64), Assembler::ucomisd);
    two("cvtsi2sd", random.xmm(), either(wide ? 64 : 32), Assembler::cvtsi2sd);
    two("cvttsd2si", random.gpr(wide ? 64 : 32), xmmOr(64), Assembler::cvttsd2si);
    two("pmovmskb", random.r32(), random.xmm(), Assembler::pmovmskb);
    wideVector("vmovups", Assembler::vmovups, Assembler::vmovups);
    wideVector("vmovaps", Assembler::vmovaps, Assembler::vmovaps);
    wideVector("vmovdqu", Assembler::vmovdqu, Assembler::vmovdqu);
    wideVector("vmovdqa", Assembler::vmovdqa, Assembler::vmovdqa);
    Ymm to = random.ymm();
    Ymm from = random.ymm();
    YmmOrMemory other = random.flag() ? random.ymm() : random.memory(0);
    add(NasmText.of("vpxor", to, from, other), a -> a.vpxor(to, from, other));
    add(NasmText.of("vxorps", to, from, other), a -> a.vxorps(to, from, other));
  }

  private void vector(String name, Two<Xmm, XmmOrMemory> load, Two<Mem, Xmm> store) {
    two(name, random.xmm(), xmmOr(0), load);
    two(name, random.memory(0), random.xmm(), store);
  }

  private void wideVector(String name, Two<Ymm, YmmOrMemory> load, Two<Mem, Ymm> store) {
    two(name, random.ymm(), random.flag() ? random.ymm() : random.memory(0), load);
    two(name, random.memory(0), random.ymm(), store);
  }

  private void systems() {
    one("fxsave", random.memory(0), Assembler::fxsave);
    one("fxrstor", random.memory(0), Assembler::fxrstor);
    one("xsave", random.memory(0), Assembler::xsave);
    one("xrstor", random.memory(0), Assembler::xrstor);
    one("fnstcw", random.memory(0), Assembler::fnstcw);
    one("fldcw", random.memory(0), Assembler::fldcw);
    one("stmxcsr", random.memory(0), Assembler::stmxcsr);
    one("ldmxcsr", random.memory(0), Assembler::ldmxcsr);
    one("rdrand", wideGpr(), Assembler::rdrand);
    if (wide) {
      one("fxsave64", random.memory(0), Assembler::fxsave64);
      one("fxrstor64", random.memory(0), Assembler::fxrstor64);
      one("xsave64", random.memory(0), Assembler::xsave64);
      one("xrstor64", random.memory(0), Assembler::xrstor64);
      one("rdfsbase", random.r64(), Assembler::rdfsbase);
      one("rdgsbase", random.r32(), Assembler::rdgsbase);
      one("wrfsbase", random.r32(), Assembler::wrfsbase);
      one("wrgsbase", random.r64(), Assembler::wrgsbase);
    }
  }

  /** The instructions without operands, and those with a repetition. */
  static List<Written> plain(boolean wide) {
    List<Written> all = new ArrayList<>();
    BiConsumer<String, Consumer<Assembler>> both =
        (text, call) -> all.add(new Written(text, (a, _) -> call.accept(a), ""));
    BiConsumer<String, Consumer<Assembler>> wideOnly = wide ? both : (_, _) -> {};
    BiConsumer<String, Consumer<Assembler>> narrowOnly = wide ? (_, _) -> {} : both;
    both.accept("cbw", Assembler::cbw);
    both.accept("cwde", Assembler::cwde);
    both.accept("cwd", Assembler::cwd);
    both.accept("cdq", Assembler::cdq);
    wideOnly.accept("cdqe", Assembler::cdqe);
    wideOnly.accept("cqo", Assembler::cqo);
    both.accept("leave", Assembler::leave);
    both.accept("sahf", Assembler::sahf);
    both.accept("lahf", Assembler::lahf);
    wideOnly.accept("pushfq", Assembler::pushfq);
    wideOnly.accept("popfq", Assembler::popfq);
    narrowOnly.accept("pushfd", Assembler::pushfd);
    narrowOnly.accept("popfd", Assembler::popfd);
    narrowOnly.accept("pushad", Assembler::pushad);
    narrowOnly.accept("popad", Assembler::popad);
    both.accept("ret", Assembler::ret);
    both.accept("cld", Assembler::cld);
    both.accept("std", Assembler::std);
    both.accept("clc", Assembler::clc);
    both.accept("stc", Assembler::stc);
    both.accept("cmc", Assembler::cmc);
    both.accept("cli", Assembler::cli);
    both.accept("sti", Assembler::sti);
    both.accept("hlt", Assembler::hlt);
    both.accept("int3", Assembler::int3);
    both.accept("ud2", Assembler::ud2);
    both.accept("nop", Assembler::nop);
    both.accept("pause", Assembler::pause);
    both.accept("rdtsc", Assembler::rdtsc);
    both.accept("rdtscp", Assembler::rdtscp);
    both.accept("cpuid", Assembler::cpuid);
    both.accept("lfence", Assembler::lfence);
    both.accept("mfence", Assembler::mfence);
    both.accept("sfence", Assembler::sfence);
    both.accept("endbr64", Assembler::endbr64);
    both.accept("endbr32", Assembler::endbr32);
    both.accept("syscall", Assembler::syscall);
    both.accept("sysenter", Assembler::sysenter);
    both.accept("xgetbv", Assembler::xgetbv);
    both.accept("emms", Assembler::emms);
    both.accept("vzeroupper", Assembler::vzeroupper);
    both.accept("vzeroall", Assembler::vzeroall);
    both.accept("movsb", Assembler::movsb);
    both.accept("movsw", Assembler::movsw);
    both.accept("movsd", Assembler::movsd);
    wideOnly.accept("movsq", Assembler::movsq);
    both.accept("cmpsb", Assembler::cmpsb);
    both.accept("cmpsw", Assembler::cmpsw);
    both.accept("cmpsd", Assembler::cmpsd);
    wideOnly.accept("cmpsq", Assembler::cmpsq);
    both.accept("stosb", Assembler::stosb);
    both.accept("stosw", Assembler::stosw);
    both.accept("stosd", Assembler::stosd);
    wideOnly.accept("stosq", Assembler::stosq);
    both.accept("lodsb", Assembler::lodsb);
    both.accept("lodsw", Assembler::lodsw);
    both.accept("lodsd", Assembler::lodsd);
    wideOnly.accept("lodsq", Assembler::lodsq);
    both.accept("scasb", Assembler::scasb);
    both.accept("scasw", Assembler::scasw);
    both.accept("scasd", Assembler::scasd);
    wideOnly.accept("scasq", Assembler::scasq);
    both.accept("rep movsb", a -> a.rep().movsb());
    wideOnly.accept("rep movsq", a -> a.rep().movsq());
    both.accept("rep stosd", a -> a.rep().stosd());
    both.accept("repe cmpsb", a -> a.repe().cmpsb());
    both.accept("repne scasb", a -> a.repne().scasb());
    both.accept("repne scasw", a -> a.repne().scasw());
    return all;
  }
}
