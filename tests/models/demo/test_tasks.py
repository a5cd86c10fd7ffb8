import time
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.demo.tasks import tasks
from bot.workspace.seed import template_folder

FILES = {
    "check boxes, some done, some somebody else's": (
        """\
        # Sprint 12

        - [ ] Fix the login bug
        - [x] Write the tests
        - [X] Tidy the wiki
        - [ ] Bob to book the room
        - [ ] Priya: order the badges
        - [ ] Update the docs (Priya)
        - [ ] Book the flights (cancelled)
        - [ ] ~~Call the caterer~~
        - [-] Move the server
        - [ ] Print the agenda @tom
        - [ ] Send the agenda to @tom
        """,
        ["Fix the login bug", "Send the agenda to @tom"],
    ),
    "prose alone": (
        """\
        We met on Monday and the mood was good. You need to send the budget to Ana by Friday.
        Tom will book the room. Please call the landlord about the heating. We decided to keep
        the name for now. You don't need to bring food.

        One last thing: don't forget to thank the choir.
        """,
        [
            "Send the budget to Ana by Friday",
            "Call the landlord about the heating",
            "Thank the choir",
        ],
    ),
    "labels in capitals": (
        """\
        TODO: call the bank
        TODO(tom): paint the wall
        ACTION (you): review the contract
        ACTION (Priya): draft the text
        @me pay the invoice
        @tom buy the paint
        TODO water the plants
        """,
        ["Call the bank", "Review the contract", "Pay the invoice", "Water the plants"],
    ),
    "a section for each person": (
        """\
        ## You
        1. Send the slides
        2. Book a hotel

        ## Priya
        1. Print the badges
        2. Call the venue

        ## Done
        - Pay the deposit
        """,
        ["Send the slides", "Book a hotel"],
    ),
    "labels over lists": (
        """\
        Who does what

        Priya:
        - order posters
        - call the printer

        You:
        - send the guest list
        - pick up the keys on Friday

        Cancelled:
        - rent a tent
        """,
        ["Send the guest list", "Pick up the keys on Friday"],
    ),
    "a table": (
        """\
        | # | Task | Owner | Due | Status |
        |---|---|---|---|---|
        | 1 | Send the invoice | You | Fri | open |
        | 2 | Print the flyers | Tom | Fri | open |
        | 3 | Order the cake | you | Mon | done |
        | 4 | Call the venue | you | Tue | in progress |
        | 5 | Rent a van | marketing | Tue | open |
        | 6 | Buy flowers | You | Wed | cancelled |
        """,
        ["Send the invoice", "Call the venue"],
    ),
    "somebody speaks to the reader": (
        """\
        Priya: you need to send me the numbers by Monday.
        Tom: I'll book the room.
        Tom asked whether the client has paid; they have, so you have to ship the goods.
        By Friday, you need to sign the contract.
        You should see a drop in costs.
        You were going to order lunch. That is no longer needed.
        If you need to change the date, talk to Priya.
        """,
        ["Send me the numbers by Monday", "Ship the goods", "By Friday, sign the contract"],
    ),
    "nothing to do": (
        """\
        # Pancakes

        Flour and milk, and it was good.

        - 200 g flour
        - 3 eggs
        """,
        [],
    ),
    "only facts": (
        """\
        # Quarterly results

        - Revenue grew by 4 %
        - Churn is flat
        - Tom presented the new plan

        Everybody was happy. The next meeting is in May.
        """,
        [],
    ),
    "everything is done or somebody else's": (
        """\
        - [x] You: send the budget
        - Priya will call the bank
        - You: order the cake (done)
        - Done: you book the hall
        - You no longer need to write the report.
        """,
        [],
    ),
    "a plain list under a title that says so": (
        """\
        # My to-do list

        * dentist
        * Ana's birthday present
        * ~~rent~~
        * tax form, done
        """,
        ["Dentist", "Ana's birthday present"],
    ),
    "orders in a bare list": (
        """\
        Stand-up

        - Finish the release notes
        - Tom is on holiday
        - Review Ana's pull request
        - Build is green
        """,
        ["Finish the release notes", "Review Ana's pull request"],
    ),
    "details below a task are no tasks": (
        """\
        ## Action items

        - [ ] Prepare the demo
          - use the new logo
          - call it version 2
        - [ ] Tom: prepare the room
          - check the projector
        - [ ] Invite the board
        """,
        ["Prepare the demo", "Invite the board"],
    ),
    "sections inside sections": (
        """\
        # Tasks

        ## Website
        - Rewrite the landing page
        - Priya: new pictures

        ## Shop
        - Check the prices

        ## Cancelled
        - Set up a blog

        # Decisions
        - Move to the new host in June
        """,
        ["Rewrite the landing page", "Check the prices"],
    ),
    "a meeting that names the reader": (
        """\
        Present: Lin, Tom, Priya

        - Lin to send the minutes
        - Tom to update the site
        - Lin: call the printer
        - Lin and Priya will prepare the stand.
        - Priya will pay.
        Lin, please check the contract.
        """,
        [
            "Send the minutes",
            "Call the printer",
            "Prepare the stand",
            "Check the contract",
        ],
    ),
    "promises in the first person": (
        """\
        I have to renew my passport before June. I should also write to the embassy.
        Tom said he will look after the cat. I already packed.
        """,
        ["Renew my passport before June", "Write to the embassy"],
    ),
    "several tasks after a colon, and a name in bold": (
        """\
        **You**: send the contract to legal
        **Tom**: sign it
        - **Budget**: you need to cut it by ten per cent
        - **Priya** - book the flights
        """,
        ["Send the contract to legal", "Budget: cut it by ten per cent"],
    ),
    "what is no text of the file's own": (
        """\
        ---
        title: TODO list
        todo: nothing
        ---
        <!-- TODO: remove this -->
        ```
        TODO: not a task, an example
        ```
        TODO: the only one
        """,
        ["The only one"],
    ),
    "a letter": (
        """\
        Hi,

        thanks for yesterday! Could you send me the photos? It would be great if you could. Tom
        asked you to call him back, and Priya needs you to sign the form by Tuesday. No need to
        bring the cake, that's sorted.

        Yours, Ana
        """,
        ["Send me the photos", "Call him back, and Priya needs you to sign the form by Tuesday"],
    ),
    "bullets that are no Markdown": (
        """\
        Actions
        • Send the deck to Ana
        • Tom – book the room
        • ☑ Order lunch
        • ☐ Reserve the projector
        """,
        ["Send the deck to Ana", "Reserve the projector"],
    ),
    "a task about something cancelled": (
        """\
        - [ ] Tell everybody that Thursday's stand-up is cancelled
        - [ ] Cancel the room booking
        - [ ] Thursday's stand-up is cancelled
        """,
        ["Tell everybody that Thursday's stand-up is cancelled", "Cancel the room booking"],
    ),
    "a Chinese meeting": (
        """\
        # 项目周会
        参会：小王、李雷、你

        - 小王负责预订会议室
        - 你需要在周五前把预算发给 Ana
        - [x] 整理上周纪要
        - [ ] 联系供应商
        - 取消：发布会彩排
        请你确认需求范围。
        待办：完成回归检查
        李雷：发送发布说明
        """,
        ["在周五前把预算发给 Ana", "联系供应商", "确认需求范围", "完成回归检查"],
    ),
    "Chinese prose": (
        """\
        今天的会上，我们讨论了发布计划。周五前你需要把测试报告发给小李。小张会更新网站。
        请你联系法务确认合同。海报不用做了。场地已经订好。另外，别忘了给志愿者发通知。
        """,
        ["周五前把测试报告发给小李", "联系法务确认合同", "给志愿者发通知"],
    ),
    "Chinese sections": (
        """\
        ## 你的任务
        1. 确认需求范围
        2. 完成回归检查（已完成）
        3. 发送发布说明

        ## 小王的任务
        1. 预订会议室

        ## 已取消
        - 团建活动
        """,
        ["确认需求范围", "发送发布说明"],
    ),
    "a Chinese table": (
        """\
        | 事项 | 负责人 | 状态 |
        |---|---|---|
        | 写发布说明 | 我 | 进行中 |
        | 订机票 | 小王 | 未开始 |
        | 交报告 | 你 | 已完成 |
        """,
        ["写发布说明"],
    ),
    "Chinese labels": (
        """\
        你：发预算
        小王：订酒店
        @我 审核合同
        @小王 打印海报
        TODO：给客户回电话
        张总：请你下周一前提交方案
        王芳会联系媒体
        由李雷负责布置会场
        """,
        ["发预算", "审核合同", "给客户回电话", "下周一前提交方案"],
    ),
    "Chinese with nothing to do": (
        """\
        会议很顺利，大家都很满意。小王已经把场地订好了，你不需要再联系酒店。
        如果你需要改时间，可以找小王。
        """,
        [],
    ),
    "a stand-up in one line a person": (
        """\
        # Standup 3 Dec

        Tom: finished the API, will start on the docs today.
        Priya: blocked by legal.
        You: fix the flaky test; then ship 1.2. Also reply to the customer.

        Notes: deploy window is 14:00-16:00.
        """,
        ["Fix the flaky test", "Ship 1.2", "Reply to the customer"],
    ),
    "numbers with brackets, in a plain text": (
        """\
        Trip to Lisbon

        To do before we leave:
         1) renew passport
         2) book hotel (Tom does this)
         3) buy adapters
         4) x cancel newspaper - done

        Packing list: shirts, hat
        """,
        ["Renew passport", "Buy adapters"],
    ),
    "a letter with bullets": (
        """\
        Hello Lin,

        Great to see you today! As discussed:

        * You will send the signed contract back by Monday
        * I will prepare the invoice
        * We will meet again in two weeks
        * It would be great if you could introduce me to Sam

        Best, Maria
        """,
        ["Send the signed contract back by Monday"],
    ),
    "a retrospective": (
        """\
        # Retro

        **What went well**
        - Good teamwork
        - Fast reviews

        **What to improve**
        - Slow builds

        **Action items**
        - [ ] Speed up the builds (owner: you)
        - [ ] Write a style guide (owner: Tom)
        - [ ] Buy a plant — you
        - [x] Order pizza — you
        """,
        ["Speed up the builds", "Buy a plant"],
    ),
    "labels with dashes": (
        """\
        Action items:
        Priya – send minutes
        Tom – update roadmap (done)
        You – draft the announcement
        All – read the proposal
        You & Tom – prepare the demo
        """,
        ["Draft the announcement", "Read the proposal", "Prepare the demo"],
    ),
    "a Chinese list with Chinese numbers": (
        """\
        会议纪要 2026-12-03

        1、小王：准备会议室，已完成
        2、我：提交报销单
        3、请你在周三之前回复客户邮件
        4、设计稿评审推迟到下周
        5、你和小李一起准备演示
        6、所有人：填写问卷
        7、~~我：订机票~~（取消）

        备注：如果你有问题，请联系小王。
        """,
        ["提交报销单", "在周三之前回复客户邮件", "准备演示", "填写问卷"],
    ),
    "what somebody needs": (
        """\
        Need from you:
        - final logo in SVG
        - list of speakers
        Not needed anymore:
        - budget sheet
        Tom's stuff:
        - chairs
        """,
        ["Final logo in SVG", "List of speakers"],
    ),
    "underlined titles": (
        """\
        Your tasks
        ----------
        1. Water plants
        2. Feed cat

        Bob's tasks
        -----------
        1. Pay rent
        """,
        ["Water plants", "Feed cat"],
    ),
    "a title that says remember": (
        """\
        Remember to:
         - call grandma
         - buy stamps
        """,
        ["Call grandma", "Buy stamps"],
    ),
    "a list inside a sentence": (
        """\
        Things you need to do: confirm the scope, run the checks, and send the release notes.
        """,
        ["Confirm the scope", "Run the checks", "Send the release notes"],
    ),
    "a Chinese list inside a sentence": (
        """\
        三项待办：确认需求范围、完成回归检查、发送发布说明。小王的任务：订会议室、打印资料。
        """,
        ["确认需求范围", "完成回归检查", "发送发布说明"],
    ),
    "states in brackets, and other people's plans": (
        """\
        - send report to Anna [done]
        - call supplier [open]
        - [ ]  review PR #42
        - [x] merge PR #41
        - someone should look at the CI
        - maybe we should repaint the office
        - Anna is going to book flights
        - I'll write the summary
        - I promised to call Mum
        """,
        ["Call supplier", "Review PR #42", "Write the summary", "Call Mum"],
    ),
    "a table without states": (
        """\
        | Who | What | By |
        |---|---|---|
        | Priya | venue | Fri |
        | you | catering quote | Mon |
        | Tom/you | sound check | Tue |
        """,
        ["Catering quote", "Sound check"],
    ),
    "responsibilities": (
        """\
        You are responsible for the slides. You have until Friday.
        Your job is to collect the badges.
        It is up to you to choose the colour. The rest is on Tom.
        """,
        ["The slides", "Collect the badges", "Choose the colour"],
    ),
    "a product meeting": (
        """\
        # Product sync – 2 December

        Attendees: Maya, Jonas, you

        Maya opened with the numbers. Jonas demoed the new onboarding flow; everyone liked it.

        Action items
        1. Jonas will fix the tooltip bug.
        2. You'll draft the release announcement by Wednesday.
        3. Maya to talk to legal.
        4. Check with support whether the macro is live (you).
        5. ~~You: update the pricing page~~ — dropped, pricing stays.

        Also, Maya needs your feedback on the survey before Friday. Please send it to her directly.
        """,
        [
            "Draft the release announcement by Wednesday",
            "Check with support whether the macro is live",
            "Send it to her directly",
        ],
    ),
    "a letter from the landlord": (
        """\
        Email from landlord

        Dear tenant,

        The heating will be serviced on 9 December. Please make sure someone is at home
        between 9 and 12. You must also clear the area around the boiler. Our technician will
        bring his own tools, so you don't have to provide anything.
        Kindly confirm the appointment by replying to this email.
        """,
        [
            "Make sure someone is at home between 9 and 12",
            "Clear the area around the boiler",
            "Confirm the appointment by replying to this email",
        ],
    ),
    "a quotation, and names in bold": (
        """\
        ## Weekly

        **Ana** will prepare the deck.
        **You** will present it on Thursday.
        **Ben** no longer needs to book travel.

        Open questions: who pays for lunch?

        > Ben: could you forward me the invoice? Thanks!
        """,
        ["Present it on Thursday", "Forward me the invoice"],
    ),
    "a Chinese meeting with numbered sections": (
        """\
        周会纪要（12月3日）

        出席：张伟、李娜、我

        一、上周回顾
         - 张伟完成了接口文档
         - 李娜修复了登录问题

        二、本周任务
         - 张伟：继续性能测试
         - 我：整理用户反馈，周五前发出
         - 李娜：更新设计稿
         - 我：和法务确认隐私条款
         - 我：订团建餐厅（取消，改到下月）

        三、其他
         需要我在周四前提交报销单。
        """,
        ["整理用户反馈，周五前发出", "和法务确认隐私条款", "在周四前提交报销单"],
    ),
    "other people's next steps": (
        """\
        Your next steps:

        1. Sign the offer letter.
        2. Send us a copy of your passport.
        3. Choose a start date.

        Our next steps:

        1. Prepare your laptop.
        2. Book your induction.
        """,
        ["Sign the offer letter", "Send us a copy of your passport", "Choose a start date"],
    ),
    "names with an at sign": (
        """\
        - @you: review PR 12
        - @maya: review PR 13
        - you and Maya: pair on the migration
        - Maya + Jonas: retro
        - the whole team should read the RFC
        """,
        ["Review PR 12", "Pair on the migration"],
    ),
    "orders in prose": (
        """\
        Buy 20 kg of compost by Saturday. The old shed door is fine now.

        Call Marta by Friday. Mark said it would be ready by Monday. Mark bakes bread by noon.
        """,
        ["Buy 20 kg of compost by Saturday", "Call Marta by Friday"],
    ),
    "an empty file": ("", []),
}


@pytest.mark.parametrize(("text", "asked"), FILES.values(), ids=FILES.keys())
def test_what_a_file_asks_of_its_reader(text: str, asked: list[str]) -> None:
    assert tasks(dedent(text), me="Lin") == asked


def test_the_meeting_of_the_template_asks_three_things() -> None:
    assert tasks((template_folder() / "notes/meeting.md").read_text("utf-8")) == [
        "Send the final budget to Priya by Thursday",
        "Call the insurance company and find out whether the bouncy castle is covered",
        "Send the schedule to the volunteers before the weekend",
    ]


def test_a_name_counts_only_when_it_is_known() -> None:
    assert tasks("- [ ] Lin: call the printer") == []
    assert tasks("- [ ] Lin: call the printer", me="Lin") == ["Call the printer"]


def test_a_subject_before_a_colon_is_no_person() -> None:
    text = "The catering is open.\n\n- [ ] Catering: call the baker\n- [ ] Maria: call the band\n"

    assert tasks(text) == ["Catering: call the baker"]


@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        " \n",
        "=\n",
        "---\n",
        "<!-- ",
        "things ",
        "王",
        "A",
        "请",
        "you ",
        "（",
        "| a ",
        "> ",
        "~~",
        ", ",
    ],
)
def test_a_hostile_file_is_read_in_the_time_of_any_other(piece: str) -> None:
    begin = time.process_time()

    tasks(piece * (16_000 // len(piece)))

    assert time.process_time() - begin < 3


@given(st.text(max_size=300), st.text(max_size=10))
def test_any_text_can_be_read(text: str, me: str) -> None:
    assert all(isinstance(task, str) for task in tasks(text, me))


@given(
    st.lists(
        st.sampled_from(
            [
                "you",
                "need to",
                "Tom",
                "will",
                "- ",
                "[ ] ",
                "\n",
                ": ",
                "(",
                ")",
                "done",
                ". ",
                "# ",
                "你",
                "需要",
                "小王",
                "：",
                "已完成",
                "|",
                "~~",
                "**",
                "TODO",
                "please",
                "send",
                "@",
            ]
        ),
        max_size=60,
    ),
    st.sampled_from(["", "Lin", "小林", "(", "."]),
)
def test_any_mixture_of_the_words_can_be_read(parts: list[str], me: str) -> None:
    assert all(task == task.strip() for task in tasks("".join(parts), me))
