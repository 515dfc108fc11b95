"""The words that the machinery itself puts on a page."""

TEXT = {
    "en": {
        "predict": "Predict", "reveal": "Skip to the derivation", "solution": "Solution", "output": "Output",
        "ran": "executed", "open": "not measured yet", "measured": "measured",
        "check": "formula compared with code", "test": "formula held by a test", "cite": "formula cited",
        "page": "Checked on this page", "snippets": "Snippets", "executed": "executed",
        "figures": "Figures", "computed": "computed", "formulas": "Formulas",
        "by_check": "by code", "by_test": "by test", "by_cite": "cited",
        "records": "Measured", "record": "on record", "not_yet": "not measured yet",
        "unverified": "not verified in this build", "separator": ", ",
        "level": "level {} of 3", "data": "data",
    },
    "zh": {
        "predict": "先猜", "reveal": "直接看推导", "solution": "解答", "output": "输出",
        "ran": "已运行", "open": "尚未测量", "measured": "实测",
        "check": "公式已与代码比对", "test": "公式由测试核对", "cite": "公式引自资料",
        "page": "本页验算", "snippets": "代码片段", "executed": "段已运行",
        "figures": "数字", "computed": "个由式子算出", "formulas": "公式",
        "by_check": "条由代码", "by_test": "条由测试", "by_cite": "条引自资料",
        "records": "实测", "record": "条记录", "not_yet": "项尚未测量",
        "unverified": "这次构建未经验证", "separator": "，",
        "level": "难度 {}，共 3 级", "data": "数据",
    },
}  # fmt: skip
