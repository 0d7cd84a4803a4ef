package io.ntrail.live.plan;

import io.ntrail.live.plan.SkipReason.Kind;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Functions that are known by name not to tolerate tracing, or tracing of their exits. */
final class DenyList {
  private static final Map<String, Kind> KINDS = kinds();

  /** Besides those, in 32-bit code: names without the decoration of C. */
  private static final Map<String, Kind> IA32 = ia32();

  private DenyList() {}

  private static Map<String, Kind> kinds() {
    Map<String, Kind> kinds = new HashMap<>();
    put(
        kinds,
        Kind.SPECIAL_ENTRY,
        "LdrInitializeThunk RtlUserThreadStart KiUserExceptionDispatcher KiUserApcDispatcher"
            + " KiUserCallbackDispatcher KiRaiseUserExceptionDispatcher KiUserInvertedFunctionTable"
            + " KiUserEmulationDispatcher KiUserCallForwarder RtlUserFiberStart signal_start_thread __wine_syscall_dispatcher"
            + " __wine_unix_call __wine_unix_call_dispatcher __wine_dbg_output");
    put(
        kinds,
        Kind.RETURNS_ELSEWHERE,
        "_setjmp _setjmpex setjmp __intrinsic_setjmp __intrinsic_setjmpex _setjmp3"
            + " RtlCaptureContext RtlCaptureContext2 SwitchToFiber RtlRestoreContext NtContinue"
            + " ZwContinue NtContinueEx ZwContinueEx RtlSwitchToFiber __wine_setjmpex"
            + " RtlpCaptureContext RtlGuardRestoreContext RtlRaiseException RtlRaiseStatus"
            + " RtlGetCallersAddress RtlWalkFrameChain UmsThreadYield ExecuteUmsThread"
            + " EnterUmsSchedulingMode NtCallbackReturn ZwCallbackReturn _CallSettingFrame"
            + " _CallSettingFrame_LookupContinuationIndex _NLG_Notify _NLG_Return"
            + " RtlSetUnwindContext JIT_WriteBarrier JIT_CheckedWriteBarrier JIT_ByRefWriteBarrier"
            + " JIT_MemSet JIT_MemCpy");
    put(
        kinds,
        Kind.STACK_PROBE,
        "__chkstk ___chkstk ___chkstk_ms _chkstk _alloca __alloca __security_check_cookie"
            + " _guard_dispatch_icall _guard_dispatch_icall_nop _guard_xfg_dispatch_icall_nop _chkstk __alloca_probe _alloca_probe");
    put(kinds, Kind.NEEDED, "LdrFindEntryForAddress");
    return Map.copyOf(kinds);
  }

  private static Map<String, Kind> ia32() {
    Map<String, Kind> kinds = new HashMap<>(KINDS);
    put(
        kinds,
        Kind.SPECIAL_ENTRY,
        "KiFastSystemCall KiFastSystemCallRet KiIntSystemCall Wow64Transition"
            + " __wine_syscall_dispatcher_return");
    put(
        kinds,
        Kind.RETURNS_ELSEWHERE,
        "_local_unwind2 _local_unwind4 _global_unwind2 _seh_longjmp_unwind _seh_longjmp_unwind4"
            + " __CxxLongjmpUnwind _setjmp3 __wine_rtl_unwind __wine_longjmp __wine_setjmp"
            + " _NLG_Notify1 _NLG_Dispatch _NLG_Return2 _JumpToContinuation");
    put(
        kinds,
        Kind.FRAME_HELPER,
        "_EH_prolog __EH_prolog _EH_prolog2 __EH_prolog2 _EH_prolog3 __EH_prolog3 _EH_prolog3_catch"
            + " __EH_prolog3_catch _EH_prolog3_GS __EH_prolog3_GS _EH_prolog3_catch_GS"
            + " __EH_prolog3_catch_GS _EH_prolog3_align __EH_prolog3_align _EH_epilog3"
            + " __EH_epilog3 _EH_epilog3_GS __EH_epilog3_GS _EH_epilog3_catch_GS"
            + " __EH_epilog3_catch_GS _SEH_prolog __SEH_prolog _SEH_epilog __SEH_epilog"
            + " _SEH_prolog4 __SEH_prolog4 _SEH_epilog4 __SEH_epilog4 _SEH_prolog4_GS"
            + " __SEH_prolog4_GS _SEH_epilog4_GS __SEH_epilog4_GS");
    put(
        kinds,
        Kind.STACK_PROBE,
        "_chkstk __chkstk ___chkstk ___chkstk_ms __chkstk_ms _alloca_probe __alloca_probe"
            + " _alloca_probe_8 __alloca_probe_8 _alloca_probe_16 __alloca_probe_16 _alloca"
            + " _guard_check_icall _guard_check_icall_nop");
    put(
        kinds,
        Kind.READS_RETURN_ADDRESS,
        "RtlCaptureStackBackTrace CaptureStackBackTrace RtlWalkFrameChain RtlGetCallersAddress");
    put(kinds, Kind.NEEDED, "RtlUnwind longjmp");
    return Map.copyOf(kinds);
  }

  private static void put(Map<String, Kind> kinds, Kind kind, String names) {
    for (String name : names.split(" ", -1)) {
      kinds.put(name.toLowerCase(Locale.ROOT), kind);
    }
  }

  /** Returns why a function of this name is not traced like others; null if it is. */
  static @Nullable Kind of(String name) {
    return KINDS.get(name.toLowerCase(Locale.ROOT));
  }

  /** Returns why a function of 32-bit code is not traced like others; null if it is. */
  static @Nullable Kind ofIa32(String name) {
    return IA32.get(name.toLowerCase(Locale.ROOT));
  }

  /** Returns whether it cannot even be patched. */
  static boolean isForbidden(Kind kind) {
    return switch (kind) {
      case SPECIAL_ENTRY, STACK_PROBE, NEEDED, FRAME_HELPER, PART -> true;
      default -> false;
    };
  }
}
