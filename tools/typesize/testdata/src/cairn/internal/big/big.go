// Package big has types of all sizes.
package big

type Many struct{} // want "Many has 61 methods"

func (*Many) M0()  {}
func (*Many) M1()  {}
func (*Many) M2()  {}
func (*Many) M3()  {}
func (*Many) M4()  {}
func (*Many) M5()  {}
func (*Many) M6()  {}
func (*Many) M7()  {}
func (*Many) M8()  {}
func (*Many) M9()  {}
func (*Many) M10() {}
func (*Many) M11() {}
func (*Many) M12() {}
func (*Many) M13() {}
func (*Many) M14() {}
func (*Many) M15() {}
func (*Many) M16() {}
func (*Many) M17() {}
func (*Many) M18() {}
func (*Many) M19() {}
func (*Many) M20() {}
func (*Many) M21() {}
func (*Many) M22() {}
func (*Many) M23() {}
func (*Many) M24() {}
func (*Many) M25() {}
func (*Many) M26() {}
func (*Many) M27() {}
func (*Many) M28() {}
func (*Many) M29() {}
func (*Many) M30() {}
func (*Many) M31() {}
func (*Many) M32() {}
func (*Many) M33() {}
func (*Many) M34() {}
func (*Many) M35() {}
func (*Many) M36() {}
func (*Many) M37() {}
func (*Many) M38() {}
func (*Many) M39() {}
func (*Many) M40() {}
func (*Many) M41() {}
func (*Many) M42() {}
func (*Many) M43() {}
func (*Many) M44() {}
func (*Many) M45() {}
func (*Many) M46() {}
func (*Many) M47() {}
func (*Many) M48() {}
func (*Many) M49() {}
func (*Many) M50() {}
func (*Many) M51() {}
func (*Many) M52() {}
func (*Many) M53() {}
func (*Many) M54() {}
func (*Many) M55() {}
func (*Many) M56() {}
func (*Many) M57() {}
func (*Many) M58() {}
func (*Many) M59() {}
func (*Many) M60() {}

type Fine struct{}

func (*Fine) M0()  {}
func (*Fine) M1()  {}
func (*Fine) M2()  {}
func (*Fine) M3()  {}
func (*Fine) M4()  {}
func (*Fine) M5()  {}
func (*Fine) M6()  {}
func (*Fine) M7()  {}
func (*Fine) M8()  {}
func (*Fine) M9()  {}
func (*Fine) M10() {}
func (*Fine) M11() {}
func (*Fine) M12() {}
func (*Fine) M13() {}
func (*Fine) M14() {}
func (*Fine) M15() {}
func (*Fine) M16() {}
func (*Fine) M17() {}
func (*Fine) M18() {}
func (*Fine) M19() {}
func (*Fine) M20() {}
func (*Fine) M21() {}
func (*Fine) M22() {}
func (*Fine) M23() {}
func (*Fine) M24() {}
func (*Fine) M25() {}
func (*Fine) M26() {}
func (*Fine) M27() {}
func (*Fine) M28() {}
func (*Fine) M29() {}
func (*Fine) M30() {}
func (*Fine) M31() {}
func (*Fine) M32() {}
func (*Fine) M33() {}
func (*Fine) M34() {}
func (*Fine) M35() {}
func (*Fine) M36() {}
func (*Fine) M37() {}
func (*Fine) M38() {}
func (*Fine) M39() {}
func (*Fine) M40() {}
func (*Fine) M41() {}
func (*Fine) M42() {}
func (*Fine) M43() {}
func (*Fine) M44() {}
func (*Fine) M45() {}
func (*Fine) M46() {}
func (*Fine) M47() {}
func (*Fine) M48() {}
func (*Fine) M49() {}
func (*Fine) M50() {}
func (*Fine) M51() {}
func (*Fine) M52() {}
func (*Fine) M53() {}
func (*Fine) M54() {}
func (*Fine) M55() {}
func (*Fine) M56() {}
func (*Fine) M57() {}
func (*Fine) M58() {}
func (*Fine) M59() {}

type Embeds struct { // want "Embeds has 62 methods"
	Fine
}

func (*Embeds) A() {}
func (*Embeds) B() {}

type Wide struct { // want "Wide has 31 fields"
	f0  int
	f1  int
	f2  int
	f3  int
	f4  int
	f5  int
	f6  int
	f7  int
	f8  int
	f9  int
	f10 int
	f11 int
	f12 int
	f13 int
	f14 int
	f15 int
	f16 int
	f17 int
	f18 int
	f19 int
	f20 int
	f21 int
	f22 int
	f23 int
	f24 int
	f25 int
	f26 int
	f27 int
	f28 int
	f29 int
	f30 int
}

func (*Wide) M0()  {}
func (*Wide) M1()  {}
func (*Wide) M2()  {}
func (*Wide) M3()  {}
func (*Wide) M4()  {}
func (*Wide) M5()  {}
func (*Wide) M6()  {}
func (*Wide) M7()  {}
func (*Wide) M8()  {}
func (*Wide) M9()  {}
func (*Wide) M10() {}
func (*Wide) M11() {}
func (*Wide) M12() {}
func (*Wide) M13() {}
func (*Wide) M14() {}
func (*Wide) M15() {}

type Shape struct {
	f0  int
	f1  int
	f2  int
	f3  int
	f4  int
	f5  int
	f6  int
	f7  int
	f8  int
	f9  int
	f10 int
	f11 int
	f12 int
	f13 int
	f14 int
	f15 int
	f16 int
	f17 int
	f18 int
	f19 int
	f20 int
	f21 int
	f22 int
	f23 int
	f24 int
	f25 int
	f26 int
	f27 int
	f28 int
	f29 int
	f30 int
	f31 int
	f32 int
	f33 int
	f34 int
	f35 int
	f36 int
	f37 int
	f38 int
	f39 int
	f40 int
	f41 int
	f42 int
	f43 int
	f44 int
	f45 int
	f46 int
	f47 int
	f48 int
	f49 int
}

func (*Shape) M0()  {}
func (*Shape) M1()  {}
func (*Shape) M2()  {}
func (*Shape) M3()  {}
func (*Shape) M4()  {}
func (*Shape) M5()  {}
func (*Shape) M6()  {}
func (*Shape) M7()  {}
func (*Shape) M8()  {}
func (*Shape) M9()  {}
func (*Shape) M10() {}
func (*Shape) M11() {}
func (*Shape) M12() {}
func (*Shape) M13() {}
func (*Shape) M14() {}

type half struct {
	h0  int
	h1  int
	h2  int
	h3  int
	h4  int
	h5  int
	h6  int
	h7  int
	h8  int
	h9  int
	h10 int
	h11 int
	h12 int
	h13 int
	h14 int
	h15 int
	h16 int
	h17 int
	h18 int
	h19 int
}

type Joined struct { // want "Joined has 40 fields"
	half
	j0  int
	j1  int
	j2  int
	j3  int
	j4  int
	j5  int
	j6  int
	j7  int
	j8  int
	j9  int
	j10 int
	j11 int
	j12 int
	j13 int
	j14 int
	j15 int
	j16 int
	j17 int
	j18 int
	j19 int
}

func (*Joined) M0()  {}
func (*Joined) M1()  {}
func (*Joined) M2()  {}
func (*Joined) M3()  {}
func (*Joined) M4()  {}
func (*Joined) M5()  {}
func (*Joined) M6()  {}
func (*Joined) M7()  {}
func (*Joined) M8()  {}
func (*Joined) M9()  {}
func (*Joined) M10() {}
func (*Joined) M11() {}
func (*Joined) M12() {}
func (*Joined) M13() {}
func (*Joined) M14() {}
func (*Joined) M15() {}

type Known struct{}

func (*Known) M0()  {}
func (*Known) M1()  {}
func (*Known) M2()  {}
func (*Known) M3()  {}
func (*Known) M4()  {}
func (*Known) M5()  {}
func (*Known) M6()  {}
func (*Known) M7()  {}
func (*Known) M8()  {}
func (*Known) M9()  {}
func (*Known) M10() {}
func (*Known) M11() {}
func (*Known) M12() {}
func (*Known) M13() {}
func (*Known) M14() {}
func (*Known) M15() {}
func (*Known) M16() {}
func (*Known) M17() {}
func (*Known) M18() {}
func (*Known) M19() {}
func (*Known) M20() {}
func (*Known) M21() {}
func (*Known) M22() {}
func (*Known) M23() {}
func (*Known) M24() {}
func (*Known) M25() {}
func (*Known) M26() {}
func (*Known) M27() {}
func (*Known) M28() {}
func (*Known) M29() {}
func (*Known) M30() {}
func (*Known) M31() {}
func (*Known) M32() {}
func (*Known) M33() {}
func (*Known) M34() {}
func (*Known) M35() {}
func (*Known) M36() {}
func (*Known) M37() {}
func (*Known) M38() {}
func (*Known) M39() {}
func (*Known) M40() {}
func (*Known) M41() {}
func (*Known) M42() {}
func (*Known) M43() {}
func (*Known) M44() {}
func (*Known) M45() {}
func (*Known) M46() {}
func (*Known) M47() {}
func (*Known) M48() {}
func (*Known) M49() {}
func (*Known) M50() {}
func (*Known) M51() {}
func (*Known) M52() {}
func (*Known) M53() {}
func (*Known) M54() {}
func (*Known) M55() {}
func (*Known) M56() {}
func (*Known) M57() {}
func (*Known) M58() {}
func (*Known) M59() {}
func (*Known) M60() {}

type Shrunk struct{} // want "Shrunk has shrunk to 65 methods"

func (*Shrunk) M0()  {}
func (*Shrunk) M1()  {}
func (*Shrunk) M2()  {}
func (*Shrunk) M3()  {}
func (*Shrunk) M4()  {}
func (*Shrunk) M5()  {}
func (*Shrunk) M6()  {}
func (*Shrunk) M7()  {}
func (*Shrunk) M8()  {}
func (*Shrunk) M9()  {}
func (*Shrunk) M10() {}
func (*Shrunk) M11() {}
func (*Shrunk) M12() {}
func (*Shrunk) M13() {}
func (*Shrunk) M14() {}
func (*Shrunk) M15() {}
func (*Shrunk) M16() {}
func (*Shrunk) M17() {}
func (*Shrunk) M18() {}
func (*Shrunk) M19() {}
func (*Shrunk) M20() {}
func (*Shrunk) M21() {}
func (*Shrunk) M22() {}
func (*Shrunk) M23() {}
func (*Shrunk) M24() {}
func (*Shrunk) M25() {}
func (*Shrunk) M26() {}
func (*Shrunk) M27() {}
func (*Shrunk) M28() {}
func (*Shrunk) M29() {}
func (*Shrunk) M30() {}
func (*Shrunk) M31() {}
func (*Shrunk) M32() {}
func (*Shrunk) M33() {}
func (*Shrunk) M34() {}
func (*Shrunk) M35() {}
func (*Shrunk) M36() {}
func (*Shrunk) M37() {}
func (*Shrunk) M38() {}
func (*Shrunk) M39() {}
func (*Shrunk) M40() {}
func (*Shrunk) M41() {}
func (*Shrunk) M42() {}
func (*Shrunk) M43() {}
func (*Shrunk) M44() {}
func (*Shrunk) M45() {}
func (*Shrunk) M46() {}
func (*Shrunk) M47() {}
func (*Shrunk) M48() {}
func (*Shrunk) M49() {}
func (*Shrunk) M50() {}
func (*Shrunk) M51() {}
func (*Shrunk) M52() {}
func (*Shrunk) M53() {}
func (*Shrunk) M54() {}
func (*Shrunk) M55() {}
func (*Shrunk) M56() {}
func (*Shrunk) M57() {}
func (*Shrunk) M58() {}
func (*Shrunk) M59() {}
func (*Shrunk) M60() {}
func (*Shrunk) M61() {}
func (*Shrunk) M62() {}
func (*Shrunk) M63() {}
func (*Shrunk) M64() {}

type Small struct{} // want "Small has 1 methods and 0 fields: it keeps the limits"

func (*Small) A() {}
