package io.ntrail.live.plan;

import io.ntrail.live.plan.SkipReason.Kind;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Functions that are known by name not to tolerate tracing, or tracing of their exits. */
final class DenyList {
  private static final Map<String, Kind> KINDS = kinds();

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

  private static void put(Map<String, Kind> kinds, Kind kind, String names) {
    for (String name : names.split(" ", -1)) {
      kinds.put(name.toLowerCase(Locale.ROOT), kind);
    }
  }

  /** Returns why a function of this name is not traced like others; null if it is. */
  static @Nullable Kind of(String name) {
    return KINDS.get(name.toLowerCase(Locale.ROOT));
  }

  /** Returns whether it cannot even be patched. */
  static boolean isForbidden(Kind kind) {
    return kind == Kind.SPECIAL_ENTRY || kind == Kind.STACK_PROBE || kind == Kind.NEEDED;
  }
}
